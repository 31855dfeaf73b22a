/* The registry of tables, and tables made by name as programs do it. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/api/maxk/maxk.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static int run_into(const char *path, const struct mk_experiment *e, struct mk_error *err)
{
    const struct mk_run_settings settings = {.size = sizeof settings, .result = path, .threads = 1};
    return mk_run_experiment(NULL, e, &settings, err);
}

static const char experiment[] = "name: two\n"
                                 "problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}]}\n"
                                 "horizons: [2, 3]\n";

static bool twice(const struct mk_column *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (strcmp(c[i].name, c[k].name) == 0) return true;
    return false;
}

static void check_columns(void)
{
    const char *name, *title;
    size_t tables = 0;
    for (size_t i = 0; (name = mk_table_name(i)); i++)
        for (size_t number = 0; (title = mk_table_title_of(name, number)); number++) {
            size_t n, documented = 0;
            const struct mk_column *c = mk_table_columns_of(name, number, &n);
            for (size_t k = 0; k < n; k++) documented += c[k].name[0] && c[k].unit && strlen(c[k].about) > 3;
            CHECK(n > 0 && documented == n && !twice(c, n),
                  "%s, %s: %zu columns, each with a name of its own and a text", name, title, n);
            tables++;
        }
    size_t none;
    CHECK(tables > 4 && !mk_table_columns_of("gap", 99, &none) && !none && !mk_table_title_of("no such", 0),
          "past the end there are none");
}

/* What people see of a table is headed by the names of its columns, which --show takes. */
static void check_headings(void)
{
    const char *name;
    size_t seen = 0;
    for (size_t i = 0; (name = mk_table_name(i)); i++)
        for (const struct mk_table_schema *const *s = mk_table_type_find(name)->schema; *s; s++)
            for (const struct mk_table_view *v = (*s)->view; v && v->heading; v++) {
                const char *column = (*s)->column[v->column].name;
                if (*v->heading && strcmp(v->heading, column) != 0)
                    CHECK(0, "%s, %s: %s is headed '%s'", name, (*s)->title, column, v->heading);
                seen++;
            }
    CHECK(seen > 50, "%zu columns are headed by their names", seen);
}

static void check_gap(const char *path)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    struct mk_table *refused = (struct mk_table *)&err; /* whatever was there before */
    CHECK(mk_table_make(&refused, "gap", &path, 1, (const char *const[]){"nothing"}, 1, &err) == MK_EINPUT && !refused,
          "an option that there is not: no table: %s", err.text);
    REQUIRE(mk_table_make(&t, "gap", &path, 1, (const char *const[]){"horizons=3", "until=1e3"}, 2, &err) == MK_OK,
            "a table by name: %s", err.text);
    const double *mean = mk_table_reals(t, mk_table_find(t, "expected_max"));
    const unsigned char *optimal = mk_table_flags(t, mk_table_find(t, "optimal"));
    const uint64_t *horizon = mk_table_counts(t, mk_table_find(t, "horizon"));
    CHECK(mk_table_rows(t) == 2 && horizon[0] == 3 && optimal[0] == 0 && optimal[1] == 1, "gap: rows of the options");
    CHECK_CLOSE(mean[0], 0.75, 1e-12, "E[M(3)] = 3/4 of a uniform arm");
    CHECK_CLOSE(mk_table_reals(t, mk_table_find(t, "gap"))[0], 0.75, 1e-12, "its gap, 3/2 - 3/4");
    const double *endpoint = mk_table_reals(t, mk_table_find(t, "gap_endpoint"));
    CHECK(endpoint[0] == 1 && endpoint[1] == 0, "upper end points 1 and 2: gaps 1 and 0");
    CHECK(mk_table_note(t, 0) && strstr(mk_table_note(t, 0), "up to 1000."), "its note: %s", mk_table_note(t, 0));
    mk_table_free(t);
}

static void check_further(const char *path)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(mk_table_make(&t, "lu", &path, 1, (const char *const[]){"estimator=exact"}, 1, &err) == MK_OK, "lu %s",
            err.text);
    const struct mk_table *ranks = mk_table_further(t);
    CHECK(ranks && mk_table_rows(ranks) == 2 && !mk_table_further(ranks), "L and U come with their table by rank");
    CHECK(strstr(mk_table_caption(ranks), "upper ends") &&
              strcmp(mk_table_title(ranks), mk_table_title_of("lu", 1)) == 0,
          "which has a caption, and its title: %s", mk_table_title(ranks));
    mk_table_free(t);
}

static void check_schedule(void)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    const char *const inputs[] = {"hyperband", "R=9", "eta=3"};
    REQUIRE(mk_table_make(&t, "schedule", inputs, 3, NULL, 0, &err) == MK_OK, "a plan %s", err.text);
    const uint64_t *n = mk_table_counts(t, mk_table_find(t, "configurations"));
    const double *sum = mk_table_reals(t, mk_table_find(t, "so far"));
    CHECK(mk_table_rows(t) == 6 && n[0] == 9 && n[1] == 3 && n[2] == 1 && sum[2] == 27,
          "Hyperband with R = 9, eta = 3: 9 for 1, 3 for 3, 1 for 9");
    mk_table_free(t);
}

/* Columns named after keys; the experiment of the worst case, in which the keys have these values. */
static void check_keys(const char *path, const char *folder)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    char out[128], figures[128];
    snprintf(out, sizeof out, "output=%s/worst.yaml", folder);
    snprintf(figures, sizeof figures, "out=%s", folder);
    const char *const common[] = {"vary=policies.0.alpha=0.1:1",
                                  "set=policies=[{name: max_ucb}]",
                                  "replications=10",
                                  "evaluations=6",
                                  "confirm=10",
                                  out};
    REQUIRE(mk_table_make(&t, "search", &path, 1, common, 6, &err) == MK_OK, "a search %s", err.text);
    const double *at = mk_table_reals(t, mk_table_find(t, "policies.0.alpha"));
    const double *alpha = mk_table_reals(t, mk_table_find(t, "alpha"));
    CHECK(mk_table_rows(t) == 2 && at && at[1] == alpha[1] && at[1] > 0.1 && at[1] < 1, "alpha of the worst case");
    CHECK(strstr(mk_table_caption(t), "Theorem 4.2 (sum)") && access(out + strlen("output="), R_OK) == 0,
          "its caption and its experiment");
    mk_table_free(t);
    const char *const map[] = {common[0], "vary=problem.arms.0.hi=0.5:1.5", common[1], common[2], "columns=2", "rows=3",
                               figures};
    REQUIRE(mk_table_make(&t, "map", &path, 1, map, 7, &err) == MK_OK, "a map %s", err.text);
    at = mk_table_reals(t, mk_table_find(t, "problem.arms.0.hi"));
    CHECK(mk_table_rows(t) == 6 && at && at[0] == 0.5 && at[1] == 1 && at[2] == 1.5, "the grid");
    CHECK(mk_table_note(t, 0) && access(mk_table_note(t, 0), R_OK) == 0, "its figure %s", mk_table_note(t, 0));
    mk_table_free(t);
}

static void check_claims(void)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    const char *const name = "table_c2";
    REQUIRE(mk_table_make(&t, "claims", &name, 1, NULL, 0, &err) == MK_OK, "a claim: %s", err.text);
    const char *const *verdict = mk_table_texts(t, mk_table_find(t, "verdict"));
    CHECK(mk_table_rows(t) == 8 && strcmp(verdict[7], "holds") == 0 && mk_table_find(t, "experiment") == SIZE_MAX,
          "Table C.2 holds");
    CHECK(mk_table_groups(t) == 1 && strstr(mk_table_note(t, 0), "8 holds, 0 violated"), "%s", mk_table_note(t, 0));
    mk_table_free(t);
    REQUIRE(mk_table_make(&t, "claims", NULL, 0, (const char *const[]){"list"}, 1, &err) == MK_OK, "%s", err.text);
    CHECK(mk_table_rows(t) > 10 && mk_table_find(t, "method") == 3, "the claims that there are");
    mk_table_free(t);
}

static void check_list(void)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(mk_table_make(&t, "list", (const char *const[]){"columns", "gap"}, 2, NULL, 0, &err) == MK_OK, "%s",
            err.text);
    const char *const *name = mk_table_texts(t, 0);
    size_t n;
    CHECK(mk_table_columns_of("gap", 0, &n) && mk_table_rows(t) >= n && strcmp(name[0], "instance") == 0,
          "the columns of a table");
    mk_table_free(t);
    REQUIRE(mk_table_make(&t, "list", (const char *const[]){"tables"}, 1, NULL, 0, &err) == MK_OK, "%s", err.text);
    CHECK(mk_table_name(mk_table_rows(t) - 1) && !mk_table_name(mk_table_rows(t)), "every table");
    mk_table_free(t);
}

/* `columns` without a table is the columns of all. */
static void check_all_columns(void)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    const char *name;
    size_t rows = 0;
    for (size_t i = 0; (name = mk_table_name(i)); i++) {
        REQUIRE(mk_table_make(&t, "list", (const char *const[]){"columns", name}, 2, NULL, 0, &err) == MK_OK, "%s",
                err.text);
        rows += mk_table_rows(t);
        mk_table_free(t);
    }
    REQUIRE(mk_table_make(&t, "list", (const char *const[]){"columns"}, 1, NULL, 0, &err) == MK_OK, "%s", err.text);
    const char *first = mk_table_texts(t, 3)[0], *last = mk_table_texts(t, 3)[mk_table_rows(t) - 1];
    CHECK(mk_table_rows(t) == rows && strncmp(first, "info: ", 6) == 0 && strncmp(last, "incumbent: ", 11) == 0,
          "%zu columns of all tables: %zu, from '%s' to '%s'", rows, mk_table_rows(t), first, last);
    mk_table_free(t);
    CHECK(mk_table_make(&t, "list", (const char *const[]){"options"}, 1, NULL, 0, &err) == MK_EINPUT &&
              strstr(err.text, "options: table: missing; expected one of info"),
          "options are those of one table: %s", err.text);
}

static void check_refused(const char *path, const char *name, const char *option, const char *why)
{
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    const int code = mk_table_make(&t, name, &path, path != NULL, &option, option != NULL, &err);
    CHECK(code == MK_EINPUT && !t && strstr(err.text, why), "%s %s: %s", name, option ? option : "", err.text);
}

/* Two instances, two policies: every layout, the columns that the request decides, and the policy with the larger mean.
 */
static void check_rank(struct scratch *s)
{
    char csv[2048] = "instance,arm,repetition,iteration,reward\n", text[256], path[128];
    for (int k = 0; k < 72; k++) { /* the first arm rises, the other is 0 */
        const size_t used = strlen(csv);
        snprintf(csv + used, sizeof csv - used, "%d,%d,%d,%d,%d\n", k / 36, k / 18 % 2, k / 9 % 2, k % 9,
                 k / 18 % 2 ? 0 : k % 9);
    }
    snprintf(text, sizeof text,
             "name: two\nproblem: {trajectories: %s}\npolicies: [random, oracle]\nhorizons: [5, 9]\n",
             scratch_write(s, "two.csv", csv, strlen(csv)));
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    struct mk_table *t = NULL;
    const char *const input = path;
    snprintf(path, sizeof path, "%s/two.h5", s->dir);
    int code = mk_experiment_from_text(&e, text, NULL, 0, &err);
    if (!code) code = run_into(path, e, &err);
    REQUIRE(code == MK_OK, "a result: %s", err.text);
    mk_experiment_free(e);
    REQUIRE(mk_table_make(&t, "rank", &input, 1, (const char *const[]){"resamples=0"}, 1, &err) == MK_OK, "%s",
            err.text);
    const uint64_t *horizon = mk_table_counts(t, mk_table_find(t, "horizon")),
                   *wins = mk_table_counts(t, mk_table_find(t, "wins"));
    const double *rank = mk_table_reals(t, mk_table_find(t, "rank"));
    CHECK(mk_table_rows(t) == 4 && horizon[0] == 5 && horizon[3] == 9 && rank[0] == 2 && rank[1] == 1, "ranks");
    CHECK(wins[0] == MK_COUNT_MISSING && wins[1] == 2 && mk_table_find(t, "budget") == SIZE_MAX,
          "of a baseline, no wins");
    CHECK(mk_table_groups(t) == 2 && mk_table_texts(t, mk_table_find(t, "policy"))[mk_table_seen_row(t, 0)][0] == 'o',
          "people see every horizon for itself, the best first");
    size_t n;
    const size_t *row = mk_table_group_rows(t, 1, &n);
    CHECK(n == 2 && horizon[row[0]] == 9 && horizon[row[1]] == 9 && rank[row[0]] == 1 && rank[row[1]] == 2 &&
              strstr(mk_table_group_caption(t, 1), "9") && !strstr(mk_table_group_caption(t, 0), "9"),
          "its rows and its caption: %s", mk_table_group_caption(t, 1));
    CHECK(!mk_table_group_caption(t, 2) && !mk_table_group_rows(t, 2, &n) && n == 0, "no third group");
    mk_table_free(t);
    const struct {
        const char *layout, *has, *lacks;
        size_t rows;
    } layouts[] = {{"layout=beside", "oracle", "random", 8},
                   {"layout=tasks", "instance", "budget", 8},
                   {"layout=choice", "chosen", "budget", 2},
                   {"layout=pairs", "rank_biserial", "p_better", 2},
                   {"layout=verdicts", "verdict", "budget", 2}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const char *const options[] = {layouts[i].layout, "resamples=0"};
        REQUIRE(mk_table_make(&t, "rank", &input, 1, options, 2, &err) == MK_OK, "%s: %s", layouts[i].layout, err.text);
        CHECK(mk_table_rows(t) == layouts[i].rows && mk_table_find(t, layouts[i].has) < mk_table_columns(t) &&
                  mk_table_find(t, layouts[i].lacks) == SIZE_MAX,
              "%s: %zu rows", layouts[i].layout, mk_table_rows(t));
        mk_table_free(t);
    }
    const char *const budget[] = {"pairs", "bayes=0", "budget=7", "resamples=0"};
    REQUIRE(mk_table_make(&t, "rank", &input, 1, budget, 4, &err) == MK_OK, "a budget: %s", err.text);
    const double *worse = mk_table_reals(t, mk_table_find(t, "p_worse"));
    CHECK(mk_table_rows(t) == 1 && mk_table_reals(t, mk_table_find(t, "budget"))[0] == 7 && worse && worse[0] < 0.5,
          "pairs at a budget have both columns, and probabilities");
    mk_table_free(t);
}

/* Of a result of known arms. */
static void check_applies(struct scratch *s)
{
    static const char text[] = "name: one\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}]}\npolicies: [uniform]\n"
                               "horizons: [5]\nreplications: 2\n";
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    char path[128];
    snprintf(path, sizeof path, "%s/one.h5", s->dir);
    int code = mk_experiment_from_text(&e, text, NULL, 0, &err);
    if (!code) code = run_into(path, e, &err);
    REQUIRE(code == MK_OK, "a result: %s", err.text);
    CHECK(mk_table_applies("gap", path, &err) == MK_OK, "gaps apply to every result %s", err.text);
    CHECK(mk_table_applies("survey", path, &err) == MK_EINPUT && strstr(err.text, "recorded rewards"),
          "what is about recorded rewards says so: %s", err.text);
    CHECK(mk_table_applies("rank", path, &err) == MK_EINPUT && strstr(err.text, "one policy"), "and so does rank: %s",
          err.text);
    CHECK(mk_table_applies("certify", path, &err) == MK_EINPUT && strstr(err.text, "certified bounds"),
          "and certify, of uniform pulls: %s", err.text);
    CHECK(mk_table_applies("exceed", path, &err) == MK_OK && mk_table_applies("lu", path, &err) == MK_OK,
          "a table with an option that is required applies, and so do L and U: %s", err.text);
    CHECK(mk_table_applies("claims", path, &err) == MK_EINPUT && strstr(err.text, "not about results"),
          "claims do not: %s", err.text);
    CHECK(mk_table_applies("gapp", path, &err) == MK_EINPUT && strstr(err.text, "no such table"), "%s", err.text);
    CHECK(mk_table_applies("gap", "/nonexistent.h5", &err) == MK_EINPUT && strstr(err.text, "cannot be"), "%s",
          err.text);
    mk_experiment_free(e);
}

/* Reasons that are those of where the rewards come from. */
static void check_sources(struct scratch *s)
{
    static const struct {
        const char *problem, *table, *why; /* NULL: it applies */
    } cases[] = {
        {"processes: [{curve: exponential, low: 0, high: 1, rate: 0.1}]", "lu", "from pull to pull"},
        {"processes: [{curve: exponential, low: 0, high: 1, rate: 0.1}]", "survival", "from pull to pull"},
        {"processes: [{curve: exponential, low: 0, high: 1, rate: 0.1}]", "bounds", "from pull to pull"},
        {"processes: [{curve: exponential, low: 0, high: 1, rate: 0.1}]", "certify", NULL},
        {"processes: [{curve: exponential, low: 0, high: 1, rate: 0.1}]", "survey", "recorded rewards"},
        {"searches: [{objective: branin, optimizer: random}]", "survey", NULL},
        {"searches: [{objective: branin, optimizer: random}]", "lu", NULL},
    };
    struct mk_error err = {0, ""};
    char text[256], path[128];
    snprintf(path, sizeof path, "%s/of_source.h5", s->dir);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_experiment *e = NULL;
        snprintf(text, sizeof text, "name: one\nproblem: {%s}\npolicies: [max_ucb]\nhorizons: [5]\nreplications: 2\n",
                 cases[i].problem);
        int code = mk_experiment_from_text(&e, text, NULL, 0, &err);
        if (!code) code = run_into(path, e, &err);
        mk_experiment_free(e);
        REQUIRE(code == MK_OK, "a result: %s", err.text);
        code = mk_table_applies(cases[i].table, path, &err);
        CHECK(cases[i].why ? code == MK_EINPUT && strstr(err.text, cases[i].why) : code == MK_OK, "%s of %.9s: %s",
              cases[i].table, cases[i].problem, code ? err.text : "it applies");
        unlink(path);
    }
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_applies(&s);
    check_sources(&s);
    check_rank(&s);
    const char *path = scratch_write(&s, "two.yaml", experiment, strlen(experiment));
    check_columns();
    check_headings();
    check_gap(path);
    check_further(path);
    check_schedule();
    check_list();
    check_all_columns();
    check_claims();
    check_keys(path, s.dir);
    check_refused(path, "gapp", NULL, "did you mean gap?");
    check_refused(path, "gap", "horizon=3", "no such option, did you mean horizons?");
    check_refused(path, "gap", "until", "until: needs a value");
    check_refused(path, "gap", "until=0", "--until: expected a whole number from 1");
    check_refused(path, "lu", "estimator=best", "--estimator: expected one of");
    check_refused(NULL, "gap", NULL, "expected 1 to 1 inputs, got 0");
    check_refused("/nonexistent.yaml", "gap", NULL, "cannot be");
    check_refused("polcies", "list", NULL, "did you mean 'policies'?");
    check_refused("table_c9", "claims", NULL, "no such claim (did you mean table_c2?)");
    check_refused(path, "survey", NULL, "no recorded rewards");
    scratch_remove(&s);
    return CHECK_EXIT;
}
