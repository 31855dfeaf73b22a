#include "analysis/claims/claim_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

const char mk_claim_power_arms[] =
    "[{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1.01}, {family: power, a: 5, s: 1.01}, "
    "{family: power, a: 5, s: 1.1}, {family: power, a: 4, s: 1}]";

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

int mk_claim_read(struct mk_claim_case *c, const char *what, const char *text, struct mk_claim_report *r,
                  uint64_t own_replications, unsigned need, struct mk_error *err)
{
    char *full_text = NULL;
    int n = 0;
    *c = (struct mk_claim_case){NULL, NULL};
    if (r && own_replications)
        n = asprintf(&full_text, "%sreplications: %llu\nseed: %llu\n", text,
                     (unsigned long long)mk_claim_replications(r, own_replications),
                     (unsigned long long)r->options.seed);
    else
        n = asprintf(&full_text, "%s", text);
    if (n < 0) return mk_fail_memory(err, what);
    int code = mk_experiment_parse(&c->experiment, what, full_text, (size_t)n, need, err);
    if (!code && r) code = mk_claim_write(r, full_text, err);
    free(full_text);
    return code;
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
    struct mk_claim_means *m = ((void **)to)[0];
    const struct mk_experiment *e = ((void **)to)[1];
    (void)err;
    for (size_t cell = 0; cell < e->n_entries * m->n_horizons; cell++)
        for (uint64_t u = 0; u < b->n_units; u++) {
            size_t at = cell * b->n_units + u;
            for (size_t k = 0; k < m->n_arms; k++)
                mk_count_moments_add(&m->pulls[cell * m->n_arms + k], b->pulls[at * m->n_arms + k]);
            mk_real_moments_add(&m->best[cell], b->max_reward[at]);
        }
    return MK_OK;
}

int mk_claim_means_run(struct mk_claim_means *m, struct mk_claim_case *c, enum mk_engine engine, int threads,
                       struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    const size_t cells = e->n_entries * e->n_horizons;
    m->n_horizons = e->n_horizons;
    m->n_arms = e->problem->n_arms;
    m->pulls = calloc(cells * m->n_arms, sizeof *m->pulls);
    m->best = calloc(cells, sizeof *m->best);
    int code = m->pulls && m->best ? MK_OK : mk_fail_memory(err, "means");
    if (!code) code = mk_claim_simulate(c, engine, threads, add_block, (void *[]){m, c->experiment}, err);
    if (code) mk_claim_means_free(m);
    return code;
}

void mk_claim_means_free(struct mk_claim_means *m)
{
    free(m->pulls);
    free(m->best);
    m->pulls = NULL;
    m->best = NULL;
}

struct mk_reward_unit mk_claim_reward_unit(const struct mk_claim_case *c, size_t entry)
{
    const struct mk_policy_entry *policy = &c->experiment->entry[entry];
    return mk_reward_unit(policy->type, policy->par, c->truth->support_low, c->truth->support_high, NULL,
                          c->truth->n_arms);
}

void mk_claim_check_regret(const struct mk_claim_means *m, const struct mk_claim_case *c, size_t entry, size_t horizon,
                           struct mk_regret_check *out)
{
    const struct mk_truth *f = c->truth;
    const size_t best = mk_truth_best(f, 0, horizon);
    const struct mk_count_moments *pulls = mk_claim_pulls(m, entry, horizon, best);
    const struct mk_real_moments *max = mk_claim_best(m, entry, horizon);
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
