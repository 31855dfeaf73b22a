/* Queries of a result: policies and their parameters, selections, cells one by one. */
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/run/store/cells.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"
#include "tests/support/store_fixture.h"

enum { REPLICATIONS = 40 };

static void check_policies(const struct mk_result_info *i)
{
    struct mk_error err = {0, ""};
    size_t at = 99;
    CHECK(mk_result_find_policy(i, "--policy", "a/b", &at, &err) == MK_OK && at == 1, "a policy is found by its label");
    CHECK(mk_result_find_policy(i, "--policy", "a", &at, &err) == MK_EINPUT && strstr(err.text, "--policy: ") &&
              strstr(err.text, "'a'") && strstr(err.text, i->path),
          "an unknown label: %s", err.text);
    CHECK(mk_result_find_policy(i, NULL, "", &at, &err) == MK_EINPUT && strncmp(err.text, i->path, 4) == 0,
          "without an option the message begins with the file: %s", err.text);
    CHECK(mk_result_parameter(i, 0, "alpha") == 0.5 && mk_result_parameter(i, 1, "scale") == 0,
          "parameters by name: a number, and a word by its position");
    CHECK(isnan(mk_result_parameter(i, 0, "gamma")) && isnan(mk_result_parameter(i, 2, "alpha")),
          "NaN for a name that the policy does not have, and for a policy without it");
    CHECK(mk_result_policy_has(i, 0, MK_POLICY_THEOREM_4_2) && !mk_result_policy_has(i, 2, MK_POLICY_THEOREM_4_2) &&
              mk_result_policy_has(i, 2, MK_POLICY_ORACLE) && !mk_result_policy_has(i, 0, MK_POLICY_ORACLE),
          "flags of the policies' types");
}

static void check_selection(const struct mk_result_info *i)
{
    const struct mk_selection all = {0}, one = {.policy = "oracle", .instance = "second", .horizon = 100};
    const struct mk_selection refused[] = {{.policy = "x"}, {.instance = "x"}, {.horizon = 10}};
    struct mk_error err = {0, ""};
    size_t selected = 0, last = 0;
    for (size_t c = 0; c < FX_ENTRIES * FX_INSTANCES * FX_HORIZONS; c++) {
        const struct mk_cell_index at = {c / (FX_INSTANCES * FX_HORIZONS), c / FX_HORIZONS % FX_INSTANCES,
                                         c % FX_HORIZONS};
        if (!mk_selection_has(&all, i, at)) selected = 99;
        if (!mk_selection_has(&one, i, at)) continue;
        selected++;
        last = c;
    }
    CHECK(selected == 1 && last == (2 * FX_INSTANCES + 1) * FX_HORIZONS + 1, "a selection of one cell, and of all");
    CHECK(mk_selection_check(&all, i, &err) == MK_OK && mk_selection_check(&one, i, &err) == MK_OK, "both exist");
    for (size_t k = 0; k < 3; k++)
        CHECK(mk_selection_check(&refused[k], i, &err) == MK_EINPUT && strncmp(err.text, i->path, strlen(i->path)) == 0,
              "what is not in the file is refused: %s", err.text);
}

struct seen {
    size_t n, wrong, stop_after;
    const struct fixture *x;
};

static int visit(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                 struct mk_error *err)
{
    struct seen *s = context;
    const size_t want = s->n / FX_HORIZONS; /* (policy, instance) of the order */
    double sum = 0;
    s->wrong +=
        at.policy != want / FX_INSTANCES || at.instance != want % FX_INSTANCES || at.horizon != s->n % FX_HORIZONS;
    for (uint64_t r = 0; r < REPLICATIONS; r++)
        sum += fixture_max(s->x, at.policy, at.horizon, at.instance * REPLICATIONS + r) / REPLICATIONS;
    const double best = s->x->expected[(at.instance * FX_HORIZONS + at.horizon) * FX_ARMS +
                                       s->x->optimal[at.instance * FX_HORIZONS + at.horizon]];
    s->wrong += !(fabs(mk_cell_regret(i, at, c) - (best - sum)) < 1e-12);
    s->wrong += mk_cell_has_arm(i, c, 1) != (at.instance == 0) || mk_cell_has_arm(i, c, FX_ARMS);
    s->wrong += mk_cell_quantile_max(i, c, 0.5) != c->quantile_max[6] || !isnan(mk_cell_quantile_max(i, c, 0.51));
    s->wrong += mk_cell_quantile_pulls(i, c, 2, 0.5) != c->quantile_pulls[6 * FX_ARMS + 2] ||
                !isnan(mk_cell_quantile_pulls(i, c, 2, 0.51));
    if (++s->n == s->stop_after) return mk_fail(err, MK_EIO, "enough");
    return MK_OK;
}

static void check_each(struct mk_result *r, const struct fixture *x)
{
    const struct mk_selection all = {0};
    struct mk_error err = {0, ""};
    struct seen s = {.x = x};
    int code = mk_result_each_cell(r, &all, visit, &s, &err);
    CHECK(!code && s.n == FX_ENTRIES * FX_INSTANCES * FX_HORIZONS && s.wrong == 0,
          "every cell in order, with its regret, arms and medians %s", err.text);
    s = (struct seen){.x = x, .stop_after = 4};
    code = mk_result_each_cell(r, &all, visit, &s, &err);
    CHECK(code == MK_EIO && s.n == 4, "an error ends the walk");
}

int main(void)
{
    struct scratch scratch;
    struct fixture x;
    struct mk_error err = {0, ""};
    struct mk_result *r = NULL;
    char path[128];
    scratch_make(&scratch);
    snprintf(path, sizeof path, "%s/cells.h5", scratch.dir);
    fixture_init(&x, REPLICATIONS, MK_KEEP_PULLS);
    int code = fixture_write(&x, path, 30, &err);
    if (!code) code = mk_result_open(&r, path, &err);
    CHECK(!code, "a result of %d policies %s", FX_ENTRIES, err.text);
    if (!code) {
        check_policies(mk_result_info(r));
        check_selection(mk_result_info(r));
        check_each(r, &x);
    }
    mk_result_free(r);
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
