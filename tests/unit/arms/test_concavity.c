/* Concavity of best-so-far curves: two curves of five rewards, worked out by hand.
 *
 * a: 0 4 7 9 10, concave. b: 0 0 0 0 10, whose least concave curve above is the line 0 2.5 5 7.5 10, so that Delta is 0
 * 2.5 5 7.5 0. Their mean 0 2 3.5 4.5 10 is at most 3 below the line from 0 to 10. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/compare/arms/concavity.h"
#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static const char rewards[] = "instance,arm,repetition,iteration,reward\n"
                              "i,both,0,0,0\ni,both,0,1,4\ni,both,0,2,7\ni,both,0,3,9\ni,both,0,4,10\n"
                              "i,both,1,0,0\ni,both,1,1,0\ni,both,1,2,0\ni,both,1,3,0\ni,both,1,4,10\n"
                              "i,flat,0,0,3\ni,flat,0,1,1\ni,flat,0,2,3\ni,flat,0,3,2\ni,flat,0,4,0\n"
                              "i,flat,1,0,3\ni,flat,1,1,1\ni,flat,1,2,3\ni,flat,1,3,2\ni,flat,1,4,0\n";

static bool are(const struct mk_concavity *c, double concave, double smooth, double loose, double fails,
                double departure)
{
    return fabs(c->concave - concave) < 1e-12 && fabs(c->smooth - smooth) < 1e-12 && fabs(c->loose - loose) < 1e-12 &&
           fabs(c->bound_fails - fails) < 1e-12 && fabs(c->departure - departure) < 1e-12;
}

int main(void)
{
    static const char text[] = "problem: {trajectories: r.csv}\n";
    struct scratch s;
    struct mk_error err = {0, ""};
    struct mk_experiment *e = NULL;
    struct mk_concavity c;
    char path[300];
    scratch_make(&s);
    scratch_write(&s, "r.csv", rewards, strlen(rewards));
    snprintf(path, sizeof path, "%s", scratch_write(&s, "e.yaml", text, strlen(text)));
    int code = mk_experiment_read(&e, path, NULL, 0, MK_NEED_PROBLEM, &err);
    CHECK(!code, "experiment: %s", err.text);
    if (!code) {
        code = mk_concavity_of(&c, e->problem, 0, 0, 1, &err);
        /* b: eq. 15 holds only at t = 5, where Delta is 0, and the bound, 0, fails at t = 2, 3, 4. */
        CHECK(!code && c.curves == 2 && are(&c, 0.5, 0.5, 0.625, 0.5, 0.3), "C = 1: %g %g %g %g %g", c.concave,
              c.smooth, c.loose, c.bound_fails, c.departure);
        code = mk_concavity_of(&c, e->problem, 0, 0, 2, &err);
        CHECK(!code && are(&c, 0.5, 0.5, 2 / 3.0, 0.5, 0.3), "C = 2: %g %g %g", c.smooth, c.loose, c.bound_fails);
        code = mk_concavity_of(&c, e->problem, 0, 1, 2, &err);
        CHECK(!code && are(&c, 1, 1, 1, 0, 0), "a curve that never rises is concave");
        CHECK(mk_concavity_of(&c, e->problem, 0, 0, 3, &err) == MK_OK, "the longest C");
        CHECK(mk_concavity_of(&c, e->problem, 0, 0, 4, &err) == MK_EINPUT && strstr(err.text, "more than 5 rewards"),
              "too large a C: %s", err.text);
    }
    mk_experiment_free(e);
    scratch_remove(&s);
    return CHECK_EXIT;
}
