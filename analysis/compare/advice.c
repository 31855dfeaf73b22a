#include "analysis/compare/advice.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/compare/best_set.h"
#include "analysis/compare/policy_choice.h"
#include "sim/base/error.h"

/* Losses this close are tied. */
static const double tolerance = 1e-8;

void mk_advice_free(struct mk_advice *a)
{
    if (!a) return;
    free(a->candidate);
    free(a->dropped);
    free(a->loss);
    free(a->of);
    free(a->p_best);
    free(a->may_be_best);
    free(a->times);
    free(a);
}

struct advising {
    struct mk_advice *a;
    const struct mk_replay *r;
    double confidence;
    uint64_t seed;
    double *left_out[MK_RULES]; /* [unit] */
    size_t *least;              /* [unit] of the smallest mean loss on all others */
    double *x, *y;              /* [unit] scratch */
    struct mk_error *err;
};

/* ---- losses ---- */

/* Mean loss of a candidate on a unit; NaN: it has no value there. */
static double unit_loss(const struct mk_replay *r, bool by_repetition, size_t unit, size_t candidate)
{
    const size_t R = r->replications, first = by_repetition ? unit : unit * R, n = by_repetition ? 1 : R;
    double sum = 0;
    size_t values = 0;
    for (size_t j = first; j < first + n; j++) {
        const double x = r->loss[j * r->n + candidate];
        if (isnan(x)) continue;
        sum += x;
        values++;
    }
    return values ? sum / (double)values : NAN;
}

static bool has_all(const struct mk_replay *r, const struct mk_advice *a, size_t candidate)
{
    for (size_t i = 0; i < a->n_units; i++)
        if (isnan(unit_loss(r, a->by_repetition, i, candidate))) return false;
    return true;
}

static int take_losses(struct advising *w)
{
    struct mk_advice *a = w->a;
    const struct mk_replay *r = w->r;
    a->by_repetition = r->n_instances == 1;
    a->n_units = a->by_repetition ? r->replications : r->n_instances;
    a->candidate = malloc((r->n + 1) * sizeof *a->candidate);
    a->dropped = malloc((r->n + 1) * sizeof *a->dropped);
    a->loss = malloc((a->n_units * r->n + 1) * sizeof *a->loss);
    a->of = calloc(r->n + 1, sizeof *a->of);
    a->p_best = malloc((r->n + 1) * sizeof *a->p_best);
    a->may_be_best = calloc(r->n + 1, sizeof *a->may_be_best);
    a->times = calloc(r->n + 1, sizeof *a->times);
    w->least = malloc((a->n_units + 1) * sizeof *w->least);
    w->x = malloc((a->n_units + 1) * sizeof *w->x);
    w->y = malloc((a->n_units + 1) * sizeof *w->y);
    bool good = a->candidate && a->dropped && a->loss && a->of && a->p_best && a->may_be_best && a->times && w->least &&
                w->x && w->y;
    for (size_t i = 0; i < MK_RULES && good; i++) {
        w->left_out[i] = malloc((a->n_units + 1) * sizeof *w->left_out[i]);
        good = w->left_out[i];
    }
    if (!good) return mk_fail_memory(w->err, "a recommendation");
    for (size_t c = 0; c < r->n; c++)
        if (has_all(r, a, c))
            a->candidate[a->n++] = c;
        else
            a->dropped[a->n_dropped++] = c;
    for (size_t i = 0; i < a->n_units; i++)
        for (size_t c = 0; c < a->n; c++) a->loss[i * a->n + c] = unit_loss(r, a->by_repetition, i, a->candidate[c]);
    return MK_OK;
}

static const double *column(const struct advising *w, size_t c, double *to)
{
    for (size_t i = 0; i < w->a->n_units; i++) to[i] = w->a->loss[i * w->a->n + c];
    return to;
}

/* ---- one against another ---- */

static int judge(struct advising *w, const double *loss, const double *baseline, struct mk_advised *out)
{
    const size_t n = w->a->n_units;
    struct mk_contest alone, both;
    double *zero = calloc(n + 1, sizeof *zero);
    if (!zero) return mk_fail_memory(w->err, "a recommendation");
    mk_contest_compare(&alone, loss, zero, n, 0, 0, w->confidence);
    mk_contest_compare(&both, loss, baseline, n, tolerance, 0, w->confidence);
    free(zero);
    out->loss = alone.difference;
    out->low = n > 1 ? fmax(0, alone.difference_low) : NAN;
    out->high = n > 1 ? fmin(1, alone.difference_high) : NAN;
    out->record = (struct mk_win_counts){both.record.losses, both.record.ties, both.record.wins};
    out->difference = both.difference;
    out->difference_low = both.difference_low;
    out->difference_high = both.difference_high;
    const int code = mk_flip_test(loss, baseline, n, w->seed, &out->p, w->err);
    const bool decided = out->p < 1 - w->confidence && out->difference_low * out->difference_high > 0;
    out->verdict = !decided ? MK_CONTEST_UNDECIDED : out->difference < 0 ? MK_CONTEST_BETTER : MK_CONTEST_WORSE;
    return code;
}

static int judge_candidates(struct advising *w)
{
    struct mk_advice *a = w->a;
    const double *baseline = column(w, 0, w->y);
    int code = mk_best_set(a->loss, a->n_units, a->n, w->seed, a->p_best, w->err);
    for (size_t c = 0; c < a->n && !code; c++) {
        code = judge(w, column(w, c, w->x), baseline, &a->of[c]);
        if (a->of[c].loss < a->of[a->least].loss) a->least = c;
        a->may_be_best[c] = !(a->p_best[c] < 1 - w->confidence);
        a->n_best += a->may_be_best[c];
    }
    a->of[0].p = NAN;
    a->recommended = a->may_be_best[0] ? 0 : a->least;
    return code;
}

/* ---- rules ---- */

static bool is_of(const struct advising *w, size_t c, enum mk_advice_rule rule)
{
    const enum mk_candidate_kind kind = w->r->candidate[w->a->candidate[c]].kind;
    return rule == MK_RULE_LEAST || (rule == MK_RULE_ARM ? kind == MK_CANDIDATE_ARM : kind == MK_CANDIDATE_COMBINED);
}

/* Chooses on all units but one, among the candidates of a kind. */
static int leave_out(struct advising *w, enum mk_advice_rule rule)
{
    struct mk_advice *a = w->a;
    const size_t n = a->n_units;
    size_t *among = malloc((a->n + 1) * sizeof *among), k = 0;
    double *loss = malloc((2 * n * a->n + 1) * sizeof *loss), *rank = loss + n * a->n;
    struct mk_policy_choice choice = {0};
    int code = among && loss ? MK_OK : mk_fail_memory(w->err, "a recommendation");
    for (size_t c = 0; c < a->n && !code; c++)
        if (is_of(w, c, rule)) among[k++] = c;
    for (size_t i = 0; i < n && !code; i++)
        for (size_t j = 0; j < k; j++) loss[i * k + j] = rank[i * k + j] = a->loss[i * a->n + among[j]];
    if (!code && k) {
        const struct mk_comparison c = {.n_policies = k, .n_instances = n, .loss = loss, .rank = rank};
        code = mk_policy_choose(&choice, &c, MK_BY_LOSS, w->err);
    }
    a->has[rule] = !code && k;
    for (size_t i = 0; i < n && a->has[rule]; i++) {
        const size_t picked = among[choice.picked[i]];
        w->left_out[rule][i] = a->loss[i * a->n + picked];
        if (rule == MK_RULE_LEAST) w->least[i] = picked;
    }
    mk_policy_choice_clear(&choice);
    free(among);
    free(loss);
    return code;
}

static int recommend_left_out(struct advising *w)
{
    struct mk_advice *a = w->a;
    const int code = mk_best_left_out(a->loss, a->n_units, a->n, 0, w->seed, w->x, w->err);
    a->has[MK_RULE_RECOMMENDED] = !code;
    for (size_t i = 0; i < a->n_units && !code; i++) {
        const size_t picked = w->x[i] < 1 - w->confidence ? w->least[i] : 0;
        w->left_out[MK_RULE_RECOMMENDED][i] = a->loss[i * a->n + picked];
        a->times[picked]++;
    }
    return code;
}

static int apply_rules(struct advising *w)
{
    struct mk_advice *a = w->a;
    double *known = w->left_out[MK_RULE_KNOWN];
    int code = MK_OK;
    if (a->n_units < 2) return MK_OK;
    for (enum mk_advice_rule rule = MK_RULE_LEAST; rule < MK_RULE_KNOWN && !code; rule++) code = leave_out(w, rule);
    if (!code) code = recommend_left_out(w);
    a->has[MK_RULE_KNOWN] = true;
    for (size_t i = 0; i < a->n_units; i++) {
        known[i] = INFINITY;
        for (size_t c = 0; c < a->n; c++) known[i] = fmin(known[i], a->loss[i * a->n + c]);
    }
    const double *baseline = column(w, 0, w->y);
    for (enum mk_advice_rule rule = 0; rule < MK_RULES && !code; rule++) {
        if (!a->has[rule]) continue;
        code = judge(w, w->left_out[rule], baseline, &a->rule[rule]);
        if (!code) code = judge(w, w->left_out[rule], w->left_out[MK_RULE_RECOMMENDED], &a->beside[rule]);
    }
    return code;
}

int mk_advice_new(struct mk_advice **out, const struct mk_replay *r, double confidence, uint64_t seed,
                  struct mk_error *err)
{
    struct advising w = {.a = calloc(1, sizeof *w.a), .r = r, .confidence = confidence, .seed = seed, .err = err};
    int code = w.a ? take_losses(&w) : mk_fail_memory(err, "a recommendation");
    if (!code) code = judge_candidates(&w);
    if (!code) code = apply_rules(&w);
    for (size_t i = 0; i < MK_RULES; i++) free(w.left_out[i]);
    free(w.least);
    free(w.x);
    free(w.y);
    *out = code ? NULL : w.a;
    if (code) mk_advice_free(w.a);
    return code;
}
