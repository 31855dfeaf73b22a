#include "analysis/compare/claims/claim_run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

const char mk_claim_power_arms[] =
    "[{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1.01}, {family: power, a: 5, s: 1.01}, "
    "{family: power, a: 5, s: 1.1}, {family: power, a: 4, s: 1}]";

const char mk_claim_hu_arms[] =
    "[{family: gaussian, mu: 0.84, sigma: 0.07}, {family: gaussian, mu: 0.84, sigma: 0.01}, {family: gaussian, mu: "
    "0.85, sigma: 0.04}, {family: gaussian, mu: 0.85, sigma: 0.02}, {family: gaussian, mu: 0.88, sigma: 0.01}, "
    "{family: gaussian, mu: 0.88, sigma: 0.02}, {family: gaussian, mu: 0.89, sigma: 0.01}]";

static const char family_arms[] =
    "name: families\n"
    "problem:\n"
    "  arms:\n"
    "    - {family: power, a: 4, s: 1, label: 'power 4, 1'}\n"
    "    - {family: power, a: 5, s: 1.1, label: 'power 5, 1.1'}\n"
    "    - {family: truncated_gaussian, mu: 0.75, sigma: 0.2, lo: 0, hi: 1, label: 'truncated_gaussian .75, .2'}\n"
    "    - {family: truncated_gaussian, mu: 0.25, sigma: 0.2, lo: 0, hi: 1, label: 'truncated_gaussian .25, .2'}\n"
    "    - {family: gaussian, mu: 1, sigma: 2, label: 'gaussian 1, 2'}\n"
    "    - {family: pareto, shape: 1.1, label: 'pareto 1.1'}\n"
    "    - {family: exponential, mean: 2.9, label: 'exponential 2.9'}\n"
    "    - {family: negative_exponential, mean: 0.5, label: 'negative_exponential .5'}\n"
    "    - {family: uniform, lo: 0, hi: 0.95, label: 'uniform 0, .95'}\n"
    "    - {family: beta, a: 2, b: 3, label: 'beta 2, 3'}\n"
    "    - {family: beta, a: 0.5, b: 0.5, label: 'beta .5, .5'}\n"
    "    - {family: lognormal, mu: 1, sigma: 1, label: 'lognormal 1, 1'}\n"
    "    - {family: generalized_normal, beta: 0.8, label: 'generalized_normal .8'}\n"
    "    - {family: weibull, shape: 0.7, scale: 1, label: 'weibull .7'}\n"
    "    - {family: gev, shape: -0.4, label: 'gev -.4'}\n"
    "    - {family: gev, shape: 0.3, label: 'gev .3'}\n"
    "    - {family: generalized_pareto, shape: -0.5, label: 'generalized_pareto -.5'}\n"
    "    - {family: generalized_pareto, shape: 0.25, label: 'generalized_pareto .25'}\n"
    "    - {family: bernoulli, p: 0.3, label: 'bernoulli .3'}\n"
    "    - {family: dirac, x: 0.5, label: 'dirac .5'}\n"
    "    - {family: empirical, values: [0.1, 0.4, 0.4, 0.75, 0.9], label: 'empirical, 5 values'}\n"
    "    - {family: mixture, weights: [4, 1], components: [{family: dirac, x: 0}, {family: uniform, lo: 0.5, hi: 1}], "
    "label: 'mixture of dirac and uniform'}\n"
    "    - {family: gaussian, mu: 0, sigma: 1, truncate: [-1, 2], label: 'gaussian, truncated'}\n"
    "    - {family: gaussian, mu: 0, sigma: 1, clip: [-1, 2], label: 'gaussian, clipped'}\n"
    "    - {family: beta, a: 2, b: 3, factor: 3, shift: -1, label: 'beta, scaled and shifted'}\n";

int mk_claim_write(struct mk_claim_report *r, const char *text, struct mk_error *err)
{
    if (!r->options.folder) return MK_OK;
    int n = snprintf(r->experiment, sizeof r->experiment, "%s/%s_%zu.yaml", r->options.folder, r->claim->name,
                     ++r->n_experiments);
    if (n >= (int)sizeof r->experiment) return mk_fail(err, MK_EINPUT, "%.80s…: path too long", r->options.folder);
    FILE *to = fopen(r->experiment, "w");
    if (!to) return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", r->experiment, strerror(errno));
    fprintf(to, "# %s; maxk claims %s\n%s", r->claim->source, r->claim->name, text);
    return mk_close_written(to, r->experiment, err);
}

int mk_claim_write_arm(struct mk_claim_report *r, const struct mk_dist *d, struct mk_error *err)
{
    char *arm = mk_dist_text(d), *text = NULL;
    int code = arm && asprintf(&text, "name: %s\nproblem:\n  arms:\n    - %s\n", r->claim->name, arm) >= 0
                   ? mk_claim_write(r, text, err)
                   : mk_fail_memory(err, "an experiment");
    free(text);
    free(arm);
    return code;
}

int mk_claim_read(struct mk_claim_case *c, struct mk_claim_report *r, const char *what, uint64_t own_replications,
                  struct mk_error *err, const char *format, ...)
{
    const unsigned need = own_replications ? MK_NEED_PROBLEM | MK_NEED_RUN : MK_NEED_PROBLEM;
    char *text = NULL;
    size_t length;
    va_list ap;
    FILE *to = open_memstream(&text, &length);
    *c = (struct mk_claim_case){0};
    va_start(ap, format);
    if (to) vfprintf(to, format, ap);
    va_end(ap);
    if (to && r && own_replications)
        fprintf(to, "replications: %llu\nseed: %llu\n", (unsigned long long)mk_claim_replications(r, own_replications),
                (unsigned long long)r->options.seed);
    int code = to && !fclose(to) ? MK_OK : mk_fail_memory(err, what);
    if (!code) code = mk_experiment_parse(&c->experiment, what, text, length, need, err);
    if (!code && r) code = mk_claim_write(r, text, err);
    free(text);
    return code;
}

int mk_claim_families(struct mk_claim_case *c, struct mk_claim_report *r, struct mk_error *err)
{
    return mk_claim_read(c, r, "families", 0, err, "%s", family_arms);
}

int mk_claim_facts(struct mk_claim_case *c, struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    if (c->truth) return MK_OK;
    return mk_truth_new(&c->truth, e->problem, e->horizon, e->n_horizons, e->replications, err);
}

void mk_claim_case_free(struct mk_claim_case *c)
{
    mk_truth_free(c->truth);
    mk_experiment_free(c->experiment);
    free(c->pulls);
    free(c->best);
    *c = (struct mk_claim_case){0};
}

int mk_claim_simulate(struct mk_claim_case *c, enum mk_engine engine, int threads, mk_block_sink sink, void *to,
                      struct mk_error *err)
{
    struct mk_run_context context = {0};
    int code = mk_claim_facts(c, err);
    if (code) return code;
    code = mk_run_context_init(&context, c->experiment, c->truth, err);
    if (code) return code;
    code = mk_run_choose(&context, engine, err);
    if (!code) code = mk_run_all(&context, threads, sink, to, NULL, err);
    mk_run_context_clear(&context);
    return code;
}

static int add_block(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct mk_claim_case *c = to;
    const size_t arms = c->experiment->problem->n_arms;
    (void)err;
    for (size_t cell = 0; cell < c->experiment->n_entries * c->experiment->n_horizons; cell++)
        for (uint64_t u = 0; u < b->n_units; u++) {
            size_t at = cell * b->n_units + u;
            for (size_t k = 0; k < arms; k++) mk_count_moments_add(&c->pulls[cell * arms + k], b->pulls[at * arms + k]);
            mk_real_moments_add(&c->best[cell], b->max_reward[at]);
        }
    return MK_OK;
}

int mk_claim_means(struct mk_claim_case *c, enum mk_engine engine, int threads, struct mk_error *err)
{
    const size_t cells = c->experiment->n_entries * c->experiment->n_horizons;
    c->pulls = calloc(cells * c->experiment->problem->n_arms, sizeof *c->pulls);
    c->best = calloc(cells, sizeof *c->best);
    if (!c->pulls || !c->best) return mk_fail_memory(err, "means");
    return mk_claim_simulate(c, engine, threads, add_block, c, err);
}

struct mk_reward_unit mk_claim_reward_unit(const struct mk_claim_case *c, size_t entry)
{
    const struct mk_policy_entry *policy = &c->experiment->entry[entry];
    return mk_reward_unit(policy->type, policy->par, c->truth->support_low, c->truth->support_high, NULL,
                          c->truth->n_arms);
}

void mk_claim_check_regret(const struct mk_claim_case *c, size_t entry, size_t horizon, struct mk_regret_check *out)
{
    const struct mk_truth *f = c->truth;
    const size_t best = mk_truth_best(f, 0, horizon);
    const struct mk_count_moments *pulls = mk_claim_pulls(c, entry, horizon, best);
    const struct mk_real_moments *max = mk_claim_best(c, entry, horizon);
    struct mk_regret_input in = {.expected_max = f->expected_max[mk_truth_at(f, 0, horizon, best)],
                                 .mean_max = mk_real_moments_mean(max),
                                 .se_max = mk_spread_error(&max->spread),
                                 .optimal_pulls = mk_count_moments_mean(pulls),
                                 .se_optimal = mk_spread_error(&pulls->spread),
                                 .horizon = c->experiment->horizon[horizon],
                                 .replications = c->experiment->replications};
    const struct mk_reward_unit unit = mk_claim_reward_unit(c, entry);
    mk_reward_unit_of_regret(&unit, &in);
    mk_regret_check(&in, out);
}

void mk_claim_set_real(struct mk_claim_row *row, const struct mk_real_moments *m)
{
    row->observed = mk_real_moments_mean(m);
    mk_mean_interval(row->observed, mk_spread_error(&m->spread), m->spread.n, &row->low, &row->high);
}

void mk_claim_set_share(struct mk_claim_row *row, uint64_t hits, uint64_t n)
{
    row->observed = (double)hits / (double)n;
    mk_share_interval(row->observed, n, &row->low, &row->high);
}

void mk_claim_weigh(struct mk_claim_worst *w, const struct mk_claim_cell *cell, enum mk_verdict verdict)
{
    w->verdicts[verdict]++;
    if (w->cells++ == 0 || cell->closeness > w->at.closeness) w->at = *cell;
}

void mk_claim_set_cell(struct mk_claim_row *row, const struct mk_claim_cell *cell)
{
    row->expected = cell->bound;
    row->observed = cell->mean;
    row->low = cell->low;
    row->high = cell->high;
}
