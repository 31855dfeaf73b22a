/* Policies against the arm sequences that the MaxUCB authors' own programs play on recorded rewards
 * (experiments/data: 96 data sets, repetition 0, arms in sorted order, T = 200): pull for pull. */
#include <zlib.h>

#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

#define REWARDS "experiments/data/pmlb_rs_main.csv.gz"
#define PULLS "tests/reference/reference_pulls_pmlb.csv.gz"

enum { MAX_INSTANCES = 128, ARMS = 6, ROUNDS = 200 };

struct instance {
    char name[128];
    double reward[ARMS][ROUNDS];
    char arm[ARMS][32];
    size_t n_arms;
};

static const struct {
    const char *reference, *policy, *settings;
} settings[] = {
    {"max_ucb", "max_ucb", "scale=minmax"},
    {"max_ucb_alpha_0.1", "max_ucb", "alpha=0.1 scale=minmax"},
    {"max_ucb_alpha_1", "max_ucb", "alpha=1 scale=minmax"},
    {"max_ucb_remaining", "max_ucb_remaining", "scale=minmax"},
    {"max_ucb_burn_in_6", "max_ucb_burn_in", "burn_in=6 round=restart scale=minmax"},
    {"max_search_gaussian", "max_search_gaussian", "nan=maximum numerics=rescan scale=minmax"},
    {"max_search_subgaussian", "max_search_subgaussian",
     "c=0.2710335651133569 nan=maximum numerics=rescan scale=minmax"},
    {"quantile_ucb_alpha_0.25", "quantile_ucb", "alpha=0.25 numerics=rescan scale=minmax"},
    {"ucb", "ucb", "numerics=rescan scale=minmax"},
    {"er_ucb_s_gamma_on_mean", "er_ucb_s", "gamma_on=mean numerics=rescan scale=minmax"},
    {"er_ucb_n", "er_ucb_n", "slope=zero scale=minmax"},
    {"rising_bandit", "rising_bandit", "variant=published scale=minmax"},
    {"successive_halving", "successive_halving", "variant=published"},
    {"r_sr", "r_sr", "variant=published"},
    {"r_ucbe", "r_ucbe", "variant=published scale=minmax a=57.12041528623219"},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static struct instance *find(struct instance *all, size_t *n, const char *name, int add)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    if (!add || *n == MAX_INSTANCES) return NULL;
    snprintf(all[*n].name, sizeof all[*n].name, "%s", name);
    return &all[(*n)++];
}

/* Position of an arm's name; rows of an instance need not be sorted, arms are sorted afterwards. */
static size_t arm_of(struct instance *in, const char *name)
{
    size_t k = 0;
    while (k < in->n_arms && strcmp(in->arm[k], name) != 0) k++;
    if (k == in->n_arms && k < ARMS) snprintf(in->arm[in->n_arms++], sizeof in->arm[k], "%s", name);
    return k;
}

/* header: instance,arm,repetition,iteration,reward */
static size_t read_rewards(gzFile file, struct instance *all)
{
    char line[512], name[128], arm[32];
    size_t n = 0;
    unsigned repetition, iteration;
    double reward;
    while (gzgets(file, line, sizeof line)) {
        if (sscanf(line, "%127[^,],%31[^,],%u,%u,%lf", name, arm, &repetition, &iteration, &reward) != 5) continue;
        if (repetition != 0 || iteration >= ROUNDS) continue;
        struct instance *in = find(all, &n, name, 1);
        size_t k = in ? arm_of(in, arm) : ARMS;
        if (k < ARMS) in->reward[k][iteration] = reward;
    }
    return n;
}

static int by_name(const void *a, const void *b, void *arms)
{
    char(*name)[32] = arms;
    return strcmp(name[*(const size_t *)a], name[*(const size_t *)b]);
}

/* The first round (from 0) at which the policy's arm differs from the published one; ROUNDS when none does. */
static size_t first_difference(struct drive *d, struct instance *in, const char *pulled)
{
    size_t order[ARMS] = {0, 1, 2, 3, 4, 5}, n[ARMS] = {0};
    qsort_r(order, in->n_arms, sizeof *order, by_name, in->arm);
    drive_start(d, 1);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        size_t arm = drive_select(d, t);
        if (arm != (size_t)(pulled[t - 1] - '0')) return (size_t)t - 1;
        d->type->update(d->state, arm, in->reward[order[arm]][n[arm]++], t);
    }
    return ROUNDS;
}

/* header: policy,instance,repetition,pulled_arms,… */
static void compare(gzFile file, struct instance *all, size_t n, struct drive *d)
{
    char line[1024], policy[64], name[128], pulled[256];
    int same[SETTINGS] = {0}, seen[SETTINGS] = {0};
    unsigned repetition;
    while (gzgets(file, line, sizeof line)) {
        if (sscanf(line, "%63[^,],%127[^,],%u,%255[0-9]", policy, name, &repetition, pulled) != 4) continue;
        if (repetition != 0 || strlen(pulled) != ROUNDS) continue;
        for (size_t i = 0; i < SETTINGS; i++) {
            if (strcmp(settings[i].reference, policy) != 0) continue;
            struct instance *in = find(all, &n, name, 0);
            size_t at = in ? first_difference(&d[i], in, pulled) : 0;
            seen[i]++;
            same[i] += at == ROUNDS;
            if (at < ROUNDS) printf("# %s on %s differs at pull %zu\n", policy, name, at + 1);
        }
    }
    for (size_t i = 0; i < SETTINGS; i++)
        CHECK(seen[i] == 96 && same[i] == seen[i], "%s: %d of %d published sequences pull for pull",
              settings[i].reference, same[i], seen[i]);
}

int main(void)
{
    gzFile rewards = gzopen(REWARDS, "rb"), pulls = gzopen(PULLS, "rb");
    CHECK(rewards && pulls, "%s and %s are there", REWARDS, PULLS);
    if (rewards && pulls) {
        struct instance *all = calloc(MAX_INSTANCES, sizeof *all);
        struct drive d[SETTINGS];
        size_t opened = 0;
        while (opened < SETTINGS &&
               drive_open(&d[opened], settings[opened].policy, settings[opened].settings, ARMS, ROUNDS) == 0)
            opened++;
        size_t n = all ? read_rewards(rewards, all) : 0;
        CHECK(opened == SETTINGS && n == 96, "rewards of %zu data sets, %zu policies", n, opened);
        if (opened == SETTINGS && n == 96) compare(pulls, all, n, d);
        while (opened > 0) drive_close(&d[--opened]);
        free(all);
    }
    if (rewards) gzclose(rewards);
    if (pulls) gzclose(pulls);
    return CHECK_EXIT;
}
