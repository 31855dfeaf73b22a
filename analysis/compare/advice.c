#include "analysis/compare/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "analysis/compare/best_set.h"
#include "sim/base/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/statistics.h"

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

enum { DIVISIONS = 10, HALVES = 2 * DIVISIONS };

/* Mean losses of a rule and of the first candidate on the half that evaluates. */
struct half {
    double loss, baseline;
};

struct advising {
    struct mk_advice *a;
    const struct mk_replay *r;
    double confidence;
    uint64_t seed;
    double *left_out[MK_RULES]; /* [unit] loss of what is chosen without it, mean over the divisions */
    struct half half[MK_RULES][HALVES];
    double *x, *y; /* [unit] scratch */
    struct mk_error *err;
};

/* ---- losses ---- */

/* Mean on a unit of what a replay has of a candidate, such as its losses; NaN: it has no value there. */
static double unit_mean(const struct mk_replay *r, const double *of, bool by_repetition, size_t unit, size_t candidate)
{
    const size_t R = r->replications, first = by_repetition ? unit : unit * R, n = by_repetition ? 1 : R;
    double sum = 0;
    size_t values = 0;
    for (size_t j = first; j < first + n; j++) {
        const double x = of[j * r->n + candidate];
        if (isnan(x)) continue;
        sum += x;
        values++;
    }
    return values ? sum / (double)values : NAN;
}

static bool has_all(const struct mk_replay *r, const struct mk_advice *a, size_t candidate)
{
    for (size_t i = 0; i < a->n_units; i++)
        if (isnan(unit_mean(r, r->loss, a->by_repetition, i, candidate))) return false;
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
    w->x = malloc((a->n_units + 1) * sizeof *w->x);
    w->y = malloc((a->n_units + 1) * sizeof *w->y);
    bool good =
        a->candidate && a->dropped && a->loss && a->of && a->p_best && a->may_be_best && a->times && w->x && w->y;
    for (size_t i = 0; i < MK_RULES && good; i++) {
        w->left_out[i] = calloc(a->n_units + 1, sizeof *w->left_out[i]);
        good = w->left_out[i];
    }
    if (!good) return mk_fail_memory(w->err, "a recommendation");
    for (size_t c = 0; c < r->n; c++)
        if (has_all(r, a, c))
            a->candidate[a->n++] = c;
        else
            a->dropped[a->n_dropped++] = c;
    for (size_t i = 0; i < a->n_units; i++)
        for (size_t c = 0; c < a->n; c++)
            a->loss[i * a->n + c] = unit_mean(r, r->loss, a->by_repetition, i, a->candidate[c]);
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

/* Mean over the units; NaN: the replay does not have it, or not of every unit. */
static double mean_of(const struct advising *w, const double *of, size_t c)
{
    const struct mk_advice *a = w->a;
    double sum = 0;
    for (size_t i = 0; of && i < a->n_units; i++) sum += unit_mean(w->r, of, a->by_repetition, i, a->candidate[c]);
    return of ? sum / (double)a->n_units : NAN;
}

static int judge_candidates(struct advising *w)
{
    struct mk_advice *a = w->a;
    const double *baseline = column(w, 0, w->y);
    int code = mk_best_set(a->loss, a->n_units, a->n, w->seed, a->p_best, w->err);
    for (size_t c = 0; c < a->n && !code; c++) {
        code = judge(w, column(w, c, w->x), baseline, &a->of[c]);
        a->of[c].test_loss = mean_of(w, w->r->test_loss, c);
        a->of[c].optimism = mean_of(w, w->r->optimism, c);
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
    return rule <= MK_RULE_LEAST || (rule == MK_RULE_ARM ? kind == MK_CANDIDATE_ARM : kind == MK_CANDIDATE_COMBINED);
}

/* The candidate of the smallest mean loss on unit[n], among those of a rule; a->n: there is none. Ties go to the lower
 * position. */
static size_t least_of(const struct advising *w, enum mk_advice_rule rule, const size_t *unit, size_t n)
{
    const struct mk_advice *a = w->a;
    size_t at = a->n;
    double least = INFINITY;
    for (size_t c = 0; c < a->n; c++) {
        double sum = 0;
        if (!is_of(w, c, rule)) continue;
        for (size_t i = 0; i < n; i++) sum += a->loss[unit[i] * a->n + c];
        if (sum >= least) continue;
        least = sum;
        at = c;
    }
    return at;
}

/* How often the recommendation is each candidate when a unit is left out. */
static int count_left_out(struct advising *w, size_t *unit)
{
    struct mk_advice *a = w->a;
    const int code = mk_best_left_out(a->loss, a->n_units, a->n, 0, w->seed, w->x, w->err);
    for (size_t i = 0; i < a->n_units && !code; i++) {
        size_t n = 0;
        for (size_t j = 0; j < a->n_units; j++)
            if (j != i) unit[n++] = j;
        a->times[w->x[i] < 1 - w->confidence ? least_of(w, MK_RULE_LEAST, unit, n) : 0]++;
    }
    return code;
}

/* The candidate that a rule chooses on unit[n]; loss[n][a->n] is scratch. */
static int choose(struct advising *w, enum mk_advice_rule rule, const size_t *unit, size_t n, double *loss, size_t *to)
{
    const struct mk_advice *a = w->a;
    double p;
    *to = least_of(w, rule == MK_RULE_RECOMMENDED ? MK_RULE_LEAST : rule, unit, n);
    if (rule != MK_RULE_RECOMMENDED) return MK_OK;
    for (size_t i = 0; i < n; i++) memcpy(loss + i * a->n, a->loss + unit[i] * a->n, a->n * sizeof *loss);
    const int code = mk_best_of(loss, n, a->n, 0, w->seed, &p, w->err);
    if (!code && !(p < 1 - w->confidence)) *to = 0;
    return code;
}

/* Chooses on from[n_from], evaluates on to[n_to]: adds to the losses of the rules there, and takes their means. */
static int evaluate(struct advising *w, const size_t *from, size_t n_from, const size_t *to, size_t n_to, double *loss,
                    size_t half)
{
    const struct mk_advice *a = w->a;
    int code = MK_OK;
    for (enum mk_advice_rule rule = 0; rule < MK_RULE_KNOWN && !code; rule++) {
        size_t c;
        code = choose(w, rule, from, n_from, loss, &c);
        if (code || !a->has[rule]) continue;
        for (size_t i = 0; i < n_to; i++) {
            const double x = a->loss[to[i] * a->n + c];
            w->left_out[rule][to[i]] += x / DIVISIONS;
            w->half[rule][half].loss += x / (double)n_to;
            w->half[rule][half].baseline += a->loss[to[i] * a->n] / (double)n_to;
        }
    }
    return code;
}

/* Ten random divisions into halves, of which each chooses for the other. */
static int divide(struct advising *w, size_t *unit)
{
    const size_t n = w->a->n_units, first = n / 2;
    double *loss = malloc((n * w->a->n + 1) * sizeof *loss);
    int code = loss ? MK_OK : mk_fail_memory(w->err, "a recommendation");
    for (size_t d = 0; d < DIVISIONS && !code; d++) {
        struct mk_pcg64 rng;
        mk_pcg64_from_key(&rng, mk_key_word(mk_key_word(mk_key_text(mk_key_start(), "halves"), w->seed), d));
        for (size_t i = 0; i < n; i++) unit[i] = i;
        for (size_t i = 0; i < first; i++) {
            const size_t at = i + (size_t)mk_uniform_below(&rng, n - i), other = unit[at];
            unit[at] = unit[i];
            unit[i] = other;
        }
        code = evaluate(w, unit, first, unit + first, n - first, loss, 2 * d);
        if (!code) code = evaluate(w, unit + first, n - first, unit, first, loss, 2 * d + 1);
    }
    free(loss);
    return code;
}

struct halves_mean {
    double mean, error;
};

/* Mean and standard error of x[HALVES] with the corrected variance of Nadeau & Bengio 2003: s^2 (1 / J + n2 / n1), n2 /
 * n1 the mean ratio of the sizes of the half that evaluates and of the one that chooses. */
static struct halves_mean corrected(const double *x, size_t n)
{
    const size_t half = n / 2;
    const double small = (double)half, large = (double)(n - half), ratio = (small / large + large / small) / 2;
    struct mk_real_moments m = {0};
    for (size_t i = 0; i < HALVES; i++) mk_real_moments_add(&m, x[i]);
    return (struct halves_mean){mk_real_moments_mean(&m), mk_spread_error(&m.spread) * sqrt(1 + HALVES * ratio)};
}

/* No more degrees of freedom than the units have: where all halves choose the same candidate, the corrected error is
 * that of its mean over the units. */
static double freedom(size_t n)
{
    return (double)(n < HALVES ? n : HALVES) - 1;
}

/* A rule against another one, or against the first candidate (against: MK_RULES). */
static void judge_rule(const struct advising *w, enum mk_advice_rule rule, enum mk_advice_rule against,
                       struct mk_advised *out)
{
    const struct mk_advice *a = w->a;
    const size_t n = a->n_units;
    const double level = 1 - w->confidence, quantile = gsl_cdf_tdist_Qinv(level / 2, freedom(n));
    const double *baseline = against == MK_RULES ? column(w, 0, w->y) : w->left_out[against];
    double loss[HALVES], difference[HALVES];
    for (size_t i = 0; i < HALVES; i++) {
        loss[i] = w->half[rule][i].loss;
        difference[i] = loss[i] - (against == MK_RULES ? w->half[rule][i].baseline : w->half[against][i].loss);
    }
    const struct halves_mean own = corrected(loss, n), d = corrected(difference, n);
    const struct mk_win_counts record = mk_compare_pairs(w->left_out[rule], baseline, n, tolerance, 0);
    *out = (struct mk_advised){.loss = own.mean,
                               .low = fmax(0, own.mean - quantile * own.error),
                               .high = fmin(1, own.mean + quantile * own.error),
                               .record = {record.losses, record.ties, record.wins},
                               .difference = d.mean,
                               .difference_low = d.mean - quantile * d.error,
                               .difference_high = d.mean + quantile * d.error,
                               .test_loss = NAN,
                               .optimism = NAN};
    out->p = d.error > 0 ? 2 * gsl_cdf_tdist_Q(fabs(d.mean) / d.error, freedom(n)) : fabs(d.mean) > tolerance ? 0 : 1;
    const bool decided = out->p < level && mk_advice_can_decide(a, level);
    out->verdict = !decided ? MK_CONTEST_UNDECIDED : d.mean < 0 ? MK_CONTEST_BETTER : MK_CONTEST_WORSE;
}

/* Nothing is chosen here, so that the losses of the units are independent. */
static int judge_known(struct advising *w)
{
    struct mk_advice *a = w->a;
    double *known = w->left_out[MK_RULE_KNOWN];
    for (size_t i = 0; i < a->n_units; i++) {
        known[i] = INFINITY;
        for (size_t c = 0; c < a->n; c++) known[i] = fmin(known[i], a->loss[i * a->n + c]);
    }
    a->has[MK_RULE_KNOWN] = true;
    a->rule[MK_RULE_KNOWN].test_loss = a->rule[MK_RULE_KNOWN].optimism = NAN;
    return judge(w, known, column(w, 0, w->y), &a->rule[MK_RULE_KNOWN]);
}

static int apply_rules(struct advising *w)
{
    struct mk_advice *a = w->a;
    size_t *unit = malloc((a->n_units + 1) * sizeof *unit);
    int code = unit ? MK_OK : mk_fail_memory(w->err, "a recommendation");
    if (!code && a->n_units > 1) {
        for (size_t c = 0; c < a->n; c++)
            for (enum mk_advice_rule rule = 0; rule < MK_RULE_KNOWN; rule++) a->has[rule] |= is_of(w, c, rule);
        code = count_left_out(w, unit);
        if (!code) code = divide(w, unit);
        for (enum mk_advice_rule rule = 0; rule < MK_RULE_KNOWN && !code; rule++) {
            if (!a->has[rule]) continue;
            judge_rule(w, rule, MK_RULES, &a->rule[rule]);
            judge_rule(w, rule, MK_RULE_RECOMMENDED, &a->beside[rule]);
        }
        if (!code) code = judge_known(w);
    }
    free(unit);
    return code;
}

bool mk_advice_can_decide(const struct mk_advice *a, double level)
{
    return ldexp(1, -(int)fmin(60, (double)a->n_units)) < level;
}

int mk_advice_new(struct mk_advice **out, const struct mk_replay *r, double confidence, uint64_t seed,
                  struct mk_error *err)
{
    struct advising w = {.a = calloc(1, sizeof *w.a), .r = r, .confidence = confidence, .seed = seed, .err = err};
    int code = w.a ? take_losses(&w) : mk_fail_memory(err, "a recommendation");
    if (!code) code = judge_candidates(&w);
    if (!code) code = apply_rules(&w);
    for (size_t i = 0; i < MK_RULES; i++) free(w.left_out[i]);
    free(w.x);
    free(w.y);
    *out = code ? NULL : w.a;
    if (code) mk_advice_free(w.a);
    return code;
}
