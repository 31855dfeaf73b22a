/* Max-K-armed policies against the statistics of the published toy experiments (Balef et al. 2025, Appendix E.4; power
 * and Pareto arms, T = 50, 200, 1000; experiments/data/reference_e4.csv): mean pulls of every arm.
 *
 * z uses both standard errors; where both are 0 the means must be equal. |z| < 4.5 on 270 statistics: false alarm below
 * 0.002 for a random seed, and the seed is fixed. MAXK_E4_REPLICATIONS in the environment asks for longer runs, with
 * |z| < 4 (false alarm 0.017) and every z printed. */
#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

#define REFERENCE "experiments/data/reference_e4.csv"

enum { ARMS = 5, REPLICATIONS = 2000, SEED = 20 };

static const struct {
    const char *policy, *settings;
    uint64_t divide; /* slow policies: replications divided by this in the quick run */
} settings[] = {
    {"max_ucb", "scale=global_max round_offset=-1 ties=random", 1},
    {"qomax_etc", "q=0.9 size=log ties=random", 1},
    {"qomax_sda", "q=0.9 f_floor=5 window=stored_key qomax=queried order=shuffled ties=random", 1},
    {"max_median", "round_offset=-1 ties=random", 1},
    {"threshold_ascent", "s=100 refresh=moved ties=random", 1},
    {"max_search_gaussian", "round_offset=-1 ties=random", 4},
    {"max_search_subgaussian", "round_offset=-1 ties=random", 2},
    {"extreme_hunter", "steps=1000 ties=random", 1},
    {"extreme_etc", "ties=random", 1},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

/* X = U^(1/a) / s^a and X = U^(-1/lambda): U to the power `power`, times `factor`. */
static const double pareto_shape[ARMS] = {2.1, 2.3, 1.3, 1.1, 1.9};
static const double power_a[ARMS] = {3, 4, 5, 5, 4}, power_s[ARMS] = {1.01, 1.01, 1.01, 1.1, 1};

struct problem {
    double power[ARMS], factor[ARMS];
};

static struct problem problem_of(const char *experiment)
{
    struct problem p;
    int pareto = strcmp(experiment, "e4_pareto") == 0;
    for (int k = 0; k < ARMS; k++) {
        p.power[k] = pareto ? -1 / pareto_shape[k] : 1 / power_a[k];
        p.factor[k] = pareto ? 1 : pow(power_s[k], -power_a[k]);
    }
    return p;
}

struct cell {
    char experiment[32], policy[64];
    uint64_t horizon;
    double replications, mean[ARMS], se[ARMS];
};

/* Columns: experiment, policy, horizon, replications, …, and last the five means and their five standard errors. */
static int read_cell(char *line, struct cell *c)
{
    double optimal[8];
    unsigned long long horizon;
    int used = 0;
    if (sscanf(line, "%31[^,],%63[^,],%llu,%lf,%*d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%*d,%*d,%n", c->experiment, c->policy,
               &horizon, &c->replications, &optimal[0], &optimal[1], &optimal[2], &optimal[3], &optimal[4], &optimal[5],
               &optimal[6], &used) != 11 ||
        used == 0)
        return -1;
    c->horizon = horizon;
    double *m = c->mean, *s = c->se;
    return sscanf(line + used, "%lf %lf %lf %lf %lf,%lf %lf %lf %lf %lf", m, m + 1, m + 2, m + 3, m + 4, s, s + 1,
                  s + 2, s + 3, s + 4) == 2 * ARMS
               ? 0
               : -1;
}

static void replicate(struct drive *d, const struct problem *p, struct mk_pcg64 *rewards, double *n)
{
    for (int k = 0; k < ARMS; k++) n[k] = 0;
    for (uint64_t t = 1; t <= d->setup.horizon; t++) {
        size_t arm = drive_select(d, t);
        n[arm]++;
        d->type->update(d->state, arm, p->factor[arm] * pow(mk_uniform(rewards), p->power[arm]), t);
    }
}

/* Largest |z| over the arms; infinite where both standard errors are 0 and the means differ. */
static double compare(struct drive *d, const struct cell *c, uint64_t replications, int print)
{
    struct problem p = problem_of(c->experiment);
    double n[ARMS], sum[ARMS] = {0}, squares[ARMS] = {0}, worst = 0;
    struct mk_pcg64 rewards;
    mk_pcg64_from_key(&rewards, mk_key_word(mk_key_text(mk_key_start(), c->experiment), SEED + c->horizon));
    for (uint64_t r = 0; r < replications; r++) {
        drive_start(d, r);
        replicate(d, &p, &rewards, n);
        for (int k = 0; k < ARMS; k++) {
            sum[k] += n[k];
            squares[k] += n[k] * n[k];
        }
    }
    if (print) printf("# %-10s %-22s %4d ", c->experiment, c->policy, (int)c->horizon);
    for (int k = 0; k < ARMS; k++) {
        double runs = (double)replications, mean = sum[k] / runs;
        double se2 = fmax(0, squares[k] / runs - mean * mean) / (runs - 1), difference = mean - c->mean[k];
        /* The file's means have six digits. */
        double spread = sqrt(se2 + c->se[k] * c->se[k]), rounding = 1e-5 * fabs(mean);
        double z = spread > 0 ? difference / spread : fabs(difference) <= rounding ? 0 : INFINITY;
        if (print) printf(" %8.3f (%5.2f)", mean, z);
        worst = fmax(worst, fabs(z));
    }
    if (print) printf("\n");
    return worst;
}

static void test_cell(const struct cell *c, uint64_t replications, int quick)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strcmp(settings[i].policy, c->policy) != 0) continue;
        struct drive d;
        if (drive_open(&d, c->policy, settings[i].settings, ARMS, c->horizon)) {
            CHECK(0, "%s opens", c->policy);
            return;
        }
        double z = compare(&d, c, quick ? replications / settings[i].divide : replications, !quick);
        CHECK(z < (quick ? 4.5 : 4.0), "%s %s T=%d: largest |z| of five mean pulls %.2f", c->experiment, c->policy,
              (int)c->horizon, z);
        drive_close(&d);
    }
}

int main(void)
{
    const char *longer = getenv("MAXK_E4_REPLICATIONS");
    uint64_t replications = longer ? strtoull(longer, NULL, 10) : REPLICATIONS;
    FILE *file = fopen(REFERENCE, "r");
    CHECK(file != NULL, "%s is there", REFERENCE);
    if (!file) return CHECK_EXIT;
    char line[1024];
    int cells = 0;
    struct cell c;
    while (fgets(line, sizeof line, file)) {
        if (read_cell(line, &c)) continue;
        cells++;
        test_cell(&c, replications, !longer);
    }
    fclose(file);
    CHECK(cells == 60, "%d cells read", cells);
    return CHECK_EXIT;
}
