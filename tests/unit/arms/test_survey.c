/* Averaged survival functions of recorded rewards, and of the parts of their sequence, by hand. */
#include "analysis/compare/arms/survey.h"

#include <string.h>

#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

/* Two repetitions of ten rewards: 1 … 10 and 11 … 20. */
static void write_rewards(char *text, size_t size)
{
    int length = snprintf(text, size, "instance,arm,repetition,iteration,reward\n");
    for (int r = 0; r < 2; r++)
        for (int n = 0; n < 10; n++)
            length += snprintf(text + length, size - (size_t)length, "i,a,%d,%d,%d\n", r, n, 10 * r + n + 1);
}

/* Segment 4 of the paper's 5 holds 9, 10, 19 and 20, each with a share of 1/4; the whole sequence all 20. */
static void check_segments(const struct mk_survey *s)
{
    static const double last[] = {9, 10, 19, 20};
    struct mk_average a;
    struct mk_error err = {0, ""};
    CHECK(mk_survey_average(s, 0, 4, &a, &err) == MK_OK, "the last segment %s", err.text);
    bool good = a.n == 4;
    for (size_t i = 0; good && i < 4; i++) good &= a.value[i] == last[i] && a.tail[i] == 1 - (double)i / 4;
    CHECK(good, "two of ten rewards of each repetition");
    mk_average_clear(&a);
    CHECK(mk_survey_average(s, 0, -1, &a, &err) == MK_OK && a.n == 20 && mk_average_at(&a, 11) == 0.5, "all of them");
    mk_average_clear(&a);
}

int main(void)
{
    static const char text[] = "problem: {trajectories: r.csv}\n";
    struct scratch s;
    struct mk_error err = {0, ""};
    struct mk_experiment *e = NULL;
    struct mk_survey *survey = NULL;
    char path[300], rewards[1000];
    scratch_make(&s);
    write_rewards(rewards, sizeof rewards);
    scratch_write(&s, "r.csv", rewards, strlen(rewards));
    snprintf(path, sizeof path, "%s", scratch_write(&s, "e.yaml", text, strlen(text)));
    int code = mk_experiment_read(&e, path, NULL, 0, MK_NEED_PROBLEM, &err);
    if (!code) code = mk_survey_new(&survey, e->problem, &err);
    CHECK(!code, "survey %s", err.text);
    if (!code) check_segments(survey);
    mk_survey_free(survey);
    mk_experiment_free(e);
    scratch_remove(&s);
    return CHECK_EXIT;
}
