/* A distribution as written in experiment files. */
#include "distributions/dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_list(FILE *f, const double *x, size_t n)
{
    char text[32];
    fputc('[', f);
    for (size_t i = 0; i < n; i++) fprintf(f, "%s%s", i ? ", " : "", mk_format_real(x[i], text, sizeof text));
    fputc(']', f);
}

static void print_arm(FILE *f, const struct mk_dist *d);

static void print_family(FILE *f, const struct mk_dist *d)
{
    char text[32];
    const struct mk_param *p = d->type->params;
    fprintf(f, "family: %s", d->type->name);
    for (size_t i = 0; p[i].name; i++) {
        if (mk_param_is_number(&p[i]) && !isnan(d->v[i])) {
            fprintf(f, ", %s: %s", p[i].name, mk_param_format(&p[i], d->v[i], text, sizeof text));
        } else if (p[i].kind == MK_LIST) {
            fprintf(f, ", %s: ", p[i].name);
            print_list(f, d->values, d->n_values);
        } else if (p[i].kind == MK_PARTS) {
            fprintf(f, ", %s: [", p[i].name);
            for (size_t k = 0; k < d->n_parts; k++) {
                fputs(k ? ", {" : "{", f);
                print_arm(f, d->part[k]);
                fputc('}', f);
            }
            fputc(']', f);
        }
    }
}

/* The keys of the arm without the braces. */
static void print_arm(FILE *f, const struct mk_dist *d)
{
    char text[32];
    if (!(d->type->flags & MK_DIST_WRAPPER)) {
        print_family(f, d);
        return;
    }
    print_arm(f, d->part[0]);
    if (d->type == mk_dist_type_find("affine")) {
        if (d->v[1] != 1) fprintf(f, ", factor: %s", mk_format_real(d->v[1], text, sizeof text));
        if (d->v[0] != 0) fprintf(f, ", shift: %s", mk_format_real(d->v[0], text, sizeof text));
    } else {
        fputs(d->type == mk_dist_type_find("truncated") ? ", truncate: " : ", clip: ", f);
        print_list(f, d->v, 2);
    }
}

char *mk_dist_text(const struct mk_dist *d)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    fputc('{', f);
    print_arm(f, d);
    fputc('}', f);
    int failed = ferror(f);
    if (fclose(f) == 0 && !failed) return text;
    free(text);
    return NULL;
}
