/* More policies than a legend can tell apart: which figure shows which. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/answers/figures/result_view.h"
#include "sim/base/grow.h"

/* The value that stands for a sweep among other policies: the default of the parameter, else the one with the largest
 * mean reward at the largest horizon. Position of its policy. */
static size_t sweep_reference(const struct mk_result_view *s, const struct mk_sweep *w)
{
    const size_t last = s->info->n_horizons - 1;
    size_t best = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->value[i] == w->type->params[w->param].def) return w->policy[i];
    for (size_t i = 1; i < w->n; i++)
        if (mk_result_view_mean(s, MK_MEASURE_BEST_REWARD, w->policy[i], last).mean >
            mk_result_view_mean(s, MK_MEASURE_BEST_REWARD, w->policy[best], last).mean)
            best = i;
    return w->policy[best];
}

/* The role of every policy: 1 = outside of sweeps, 2 = in every part. */
static size_t mark(const struct mk_result_view *s, char *role)
{
    size_t n = s->info->n_policies, outside = n, theorem = n;
    memset(role, 1, n);
    for (size_t w = 0; w < s->n_sweeps; w++) {
        for (size_t i = 0; i < s->sweep[w].n; i++) role[s->sweep[w].policy[i]] = 0;
        outside -= s->sweep[w].n;
    }
    for (size_t i = n; i-- > 0;) {
        if (role[i] && mk_result_policy_has(s->info, i, MK_POLICY_THEOREM_4_2)) theorem = i;
        if (role[i] && (mk_result_policy_has(s->info, i, MK_POLICY_ORACLE) ||
                        mk_result_policy_has(s->info, i, MK_POLICY_RECORDED)))
            role[i] = 2;
    }
    if (theorem < n) role[theorem] = 2;
    for (size_t w = 0; w < s->n_sweeps; w++) role[sweep_reference(s, &s->sweep[w])] = 2;
    return outside;
}

/* A further part with the policies of every part, or NULL. */
static struct mk_view_part *add(struct mk_view_part **part, size_t *n, const char *role, size_t policies,
                                const char *detail)
{
    if (!MK_GROW(*part, *n, 1)) return NULL;
    struct mk_view_part *of = &(*part)[*n];
    of->keep = calloc(policies + 1, 1);
    of->look = calloc(policies + 1, sizeof *of->look);
    ++*n;
    if (!of->keep || !of->look) return NULL;
    snprintf(of->detail, sizeof of->detail, "%s", detail);
    for (size_t i = 0; i < policies; i++) of->keep[i] = role[i] == 2;
    return of;
}

/* The policies of a kind (-1: of none), in parts with at most `room` in addition to those of every part. */
static bool add_kind(const struct mk_result_view *s, const char *role, int kind, const char *name, size_t room,
                     struct mk_view_part **part, size_t *n)
{
    struct mk_view_part *of = NULL;
    size_t used = 0, pieces = 0;
    char detail[64];
    for (size_t i = 0; i < s->info->n_policies; i++) {
        const struct mk_policy_type *type = s->info->policy_type[i];
        if (role[i] != 1 || (type ? (int)type->kind : -1) != kind) continue;
        if (!of || used == room) {
            snprintf(detail, sizeof detail, pieces ? "%s_%zu" : "%s", name, pieces + 1);
            of = add(part, n, role, s->info->n_policies, detail);
            if (!of) return false;
            used = 0;
            pieces++;
        }
        of->keep[i] = 1;
        used++;
    }
    return true;
}

static bool add_kinds(const struct mk_result_view *s, const char *role, size_t common, struct mk_view_part **part,
                      size_t *n)
{
    static const char *const name[] = {[MK_EXTREME] = "extreme", [MK_CASH] = "cash", [MK_CLASSIC] = "classic"};
    const size_t room = common + 4 < MK_PLOT_LEGEND_MAX ? MK_PLOT_LEGEND_MAX - common : 4;
    bool good = true;
    for (size_t kind = 0; kind < sizeof name / sizeof *name && good; kind++)
        good = add_kind(s, role, (int)kind, name[kind], room, part, n);
    return good && add_kind(s, role, -1, "further", room, part, n);
}

static void choose_looks(struct mk_view_part *of, const char *role, size_t policies)
{
    int next = 0;
    for (int common = 1; common >= 0; common--)
        for (size_t i = 0; i < policies; i++)
            if (of->keep[i] && (role[i] == 2) == common) of->look[i] = next++;
}

int mk_view_parts(const struct mk_result_view *s, struct mk_view_part **out, size_t *n, struct mk_error *err)
{
    const size_t policies = s->info->n_policies;
    char *role = calloc(policies + 1, 1);
    bool good = role != NULL;
    *out = NULL;
    *n = 0;
    if (good && (mark(s, role) || s->n_sweeps > 1)) {
        size_t common = 0, all = 0;
        for (size_t i = 0; i < policies; i++) {
            common += role[i] == 2;
            all += role[i] != 0;
        }
        if (all > MK_PLOT_LEGEND_MAX) {
            good = add_kinds(s, role, common, out, n);
        } else if (all > 1) {
            struct mk_view_part *of = add(out, n, role, policies, s->n_sweeps ? "others" : "");
            good = of != NULL;
            for (size_t i = 0; of && i < policies; i++) of->keep[i] = role[i] != 0;
        }
    }
    for (size_t i = 0; good && i < *n; i++) choose_looks(&(*out)[i], role, policies);
    free(role);
    if (good) return MK_OK;
    mk_view_parts_free(*out, *n);
    *out = NULL;
    return mk_fail_memory(err, "figures");
}

void mk_view_parts_free(struct mk_view_part *part, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(part[i].keep);
        free(part[i].look);
    }
    free(part);
}

void mk_view_describe_parts(const struct mk_result_view *s, char *out, size_t room)
{
    *out = 0;
    if (s->info->n_policies <= MK_PLOT_LEGEND_MAX) return;
    size_t used = (size_t)snprintf(out, room, "%zu policies, more than one legend can tell apart: in panels by kind",
                                   s->info->n_policies);
    for (size_t w = 0; w < s->n_sweeps && used < room; w++)
        used += (size_t)snprintf(out + used, room - used, "%s %s of %s (among others: %s)",
                                 w ? "," : "; sweeps on their own:", s->sweep[w].type->params[s->sweep[w].param].name,
                                 s->sweep[w].type->name, s->info->policy[sweep_reference(s, &s->sweep[w])]);
    if (used < room) snprintf(out + used, room - used, "; --policy, --without and --among choose");
}

/* Whether the values are spaced more evenly on a log scale than on a linear one. */
static bool is_log_spaced(const double *value, size_t n)
{
    double linear = 0, log_step = 0;
    if (n < 3 || !(value[0] > 0) || value[n - 1] < 20 * value[0]) return false;
    for (size_t i = 1; i < n; i++) {
        linear = fmax(linear, (value[i] - value[i - 1]) / (value[n - 1] - value[0]));
        log_step = fmax(log_step, log(value[i] / value[i - 1]) / log(value[n - 1] / value[0]));
    }
    return log_step < linear;
}

void mk_plot_sweep_scale(struct mk_plot *p, const struct mk_sweep *w)
{
    snprintf(p->colour.label, sizeof p->colour.label, "%s of %s", w->type->params[w->param].name, w->type->name);
    p->colour.log = is_log_spaced(w->value, w->n);
}
