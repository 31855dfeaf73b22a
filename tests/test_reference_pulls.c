/* The pull sequences of the MaxUCB authors' own programs on recorded rewards (96 instances, repetition 0, T = 200),
 * pull for pull. Data: ../shared/data/reference_pulls_pmlb.csv.gz and pmlb_rs_main.csv.gz. */
#include <zlib.h>

#include "check.h"
#include "policy_drive.h"

enum { INSTANCES = 96, ARMS = 6, PULLS = 200, NAME = 80 };

static const char rewards_file[] = "../shared/data/pmlb_rs_main.csv.gz";
static const char pulls_file[] = "../shared/data/reference_pulls_pmlb.csv.gz";

struct instance {
    char name[NAME], arm[ARMS][NAME];
    size_t arms;
    double reward[ARMS][PULLS];
};

struct data {
    size_t n;
    struct instance instance[INSTANCES];
};

/* Split a line at commas, in place; returns the number of fields. */
static size_t split(char *line, char **field, size_t room)
{
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *p = line; p && n < room; n++) {
        field[n] = p;
        p = strchr(p, ',');
        if (p) *p++ = '\0';
    }
    return n;
}

static struct instance *find_instance(struct data *d, const char *name, int add)
{
    for (size_t i = d->n; i-- > 0;)
        if (strcmp(d->instance[i].name, name) == 0) return &d->instance[i];
    if (!add || d->n == INSTANCES || strlen(name) >= NAME) return NULL;
    strcpy(d->instance[d->n].name, name);
    return &d->instance[d->n++];
}

static double *find_arm(struct instance *in, const char *name)
{
    for (size_t k = 0; k < in->arms; k++)
        if (strcmp(in->arm[k], name) == 0) return in->reward[k];
    if (in->arms == ARMS || strlen(name) >= NAME) return NULL;
    strcpy(in->arm[in->arms], name);
    return in->reward[in->arms++];
}

/* Arms are numbered in the order of their sorted names; the file lists them so. */
static int arms_sorted(const struct instance *in)
{
    for (size_t k = 1; k < in->arms; k++)
        if (strcmp(in->arm[k - 1], in->arm[k]) >= 0) return 0;
    return in->arms == ARMS;
}

static int read_rewards(struct data *d)
{
    gzFile f = gzopen(rewards_file, "rb");
    char line[512], *field[5];
    int good = f && gzgets(f, line, sizeof line);
    size_t rows = 0;
    while (good && gzgets(f, line, sizeof line)) {
        if (split(line, field, 5) != 5) good = 0;
        if (!good || strcmp(field[2], "0") != 0) continue;
        struct instance *in = find_instance(d, field[0], 1);
        double *reward = in ? find_arm(in, field[1]) : NULL;
        long pull = strtol(field[3], NULL, 10);
        good = reward && pull >= 0 && pull < PULLS;
        if (good) reward[pull] = strtod(field[4], NULL);
        rows++;
    }
    if (f) gzclose(f);
    good = good && d->n == INSTANCES && rows == (size_t)INSTANCES * ARMS * PULLS;
    for (size_t i = 0; i < d->n; i++) good = good && arms_sorted(&d->instance[i]);
    return good;
}

/* First round in which the policy departs from the reference; PULLS when it never does; -1 on failure. */
static int first_difference(const struct instance *in, const char *policy, const char *options, const char *want)
{
    uint32_t arms[PULLS];
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 1, 1);
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    if (!type || !drive(type, options, ARMS, PULLS, &rng, NULL, in->reward[0], PULLS, arms)) return -1;
    for (int t = 0; t < PULLS; t++)
        if ((char)('0' + arms[t]) != want[t]) return t;
    return PULLS;
}

static void check_setting(struct data *d, const char *label, const char *policy, const char *options)
{
    gzFile f = gzopen(pulls_file, "rb");
    char line[1024], *field[8];
    int total = 0, same = 0, shown = 0;
    while (f && gzgets(f, line, sizeof line)) {
        if (split(line, field, 8) < 4 || strcmp(field[0], label) != 0) continue;
        const struct instance *in = find_instance(d, field[1], 0);
        if (!in || strlen(field[3]) != PULLS) continue;
        total++;
        int t = first_difference(in, policy, options, field[3]);
        same += t == PULLS;
        if (t != PULLS && shown++ < 5) printf("# %s on %s: differs at round %d\n", label, in->name, t + 1);
    }
    if (f) gzclose(f);
    CHECK(total == INSTANCES && same == total, "%s: %s {%s} plays the same 200 arms in %d of %d instances", label, policy,
          options, same, total);
}

int main(void)
{
    gzFile f = gzopen(pulls_file, "rb"), g = gzopen(rewards_file, "rb");
    int present = f && g;
    if (f) gzclose(f);
    if (g) gzclose(g);
    if (!present) {
        SKIP("%s or %s is not there", pulls_file, rewards_file);
        return 0;
    }
    struct data *d = calloc(1, sizeof *d);
    int good = d && read_rewards(d);
    CHECK(good, "%s: 96 instances x 6 arms x 200 rewards of repetition 0", rewards_file);
    if (good) {
        check_setting(d, "quantile_ucb_alpha_0.25", "quantile_ucb", "alpha=0.25 scale=minmax");
        check_setting(d, "ucb", "ucb", "scale=minmax");
        check_setting(d, "er_ucb_s_gamma_on_mean", "er_ucb_s", "gamma_on=mean scale=minmax");
        check_setting(d, "er_ucb_n", "er_ucb_n", "slope=zero");
        check_setting(d, "rising_bandit", "rising_bandit", "variant=published");
        check_setting(d, "successive_halving", "successive_halving", "variant=published");
        check_setting(d, "r_sr", "r_sr", "variant=published");
        check_setting(d, "r_ucbe", "r_ucbe", "variant=published scale=minmax a=57.12041528623219");
    }
    free(d);
    return CHECK_EXIT;
}
