#include "sim/search/objectives/parts/closed_form.h"

#include <stdio.h>

int mk_plane_space(double x_lo, double x_hi, double y_lo, double y_hi, struct mk_space **out, struct mk_error *err)
{
    struct mk_space *s;
    int code = mk_space_new(&s, err);
    if (code) return code;
    code = mk_space_add_real(s, "x", x_lo, x_hi, err);
    if (!code) code = mk_space_add_real(s, "y", y_lo, y_hi, err);
    return mk_space_done(s, code, out, err);
}

int mk_box_space(size_t n, double lo, double hi, double def, struct mk_space **out, struct mk_error *err)
{
    struct mk_space *s;
    char name[24];
    int code = mk_space_new(&s, err);
    if (code) return code;
    for (size_t i = 0; i < n && !code; i++) {
        snprintf(name, sizeof name, "x%zu", i + 1);
        code = mk_space_add(s, &(struct mk_hyper){.name = name, .kind = MK_HYPER_REAL, .lo = lo, .hi = hi, .def = def},
                            err);
    }
    return mk_space_done(s, code, out, err);
}
