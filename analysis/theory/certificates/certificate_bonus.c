/* Whether a race's own bonus meets the hypotheses of certificate.h, (B1) to (B3), on a grid of rounds and counts. */
#include <float.h>
#include <inttypes.h>

#include "sim/base/error.h"

#include "analysis/theory/certificates/certificate_parts.h"

static const double rounding = 1e-12; /* of the bonus */

/* The counts between which differences are compared; 0 ends them. */
static double next_of(double n, double last)
{
    const double next = (double)mk_stretch_end((uint64_t)n) + 1;
    return n >= last ? 0 : next < last ? next : last;
}

static int fail(struct mk_round r, double n, const char *what, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "the bonus of the policy %s (round %.0f, %.0f pulls, T = %" PRIu64 ")", what, r.t, n,
                   r.race->horizon);
}

/* Compares round `now` with an earlier one (NULL: none). */
static int check_round(const struct mk_round *before, struct mk_round now, struct mk_error *err)
{
    const double last = (double)now.race->horizon, sign = now.race->falling ? -1 : 1;
    for (double n = 1, next; n > 0; n = next) {
        const double own = mk_bonus(now, n);
        next = next_of(n, last);
        if (!(own >= 0 && own <= DBL_MAX)) return fail(now, n, "is not a number from 0 on", err);
        const double then = before ? mk_bonus(*before, n) : own;
        if (sign * (own - then) < -rounding * (own + then))
            return fail(now, n, sign > 0 ? "falls with the round" : "rises with the round", err);
        if (next == 0) break;
        double size = 0;
        const double lead = mk_bonus_lead(now, n, next, &size);
        if (lead < -rounding * size) return fail(now, next, "rises with the pulls", err);
        const double earlier = before ? mk_bonus_lead(*before, n, next, &size) : lead;
        if (sign * (lead - earlier) < -rounding * size)
            return fail(now, n,
                        sign > 0 ? "less its value after more pulls falls with the round"
                                 : "less its value after more pulls rises with the round",
                        err);
    }
    return MK_OK;
}

int mk_race_check_bonus(const struct mk_race *race, struct mk_error *err)
{
    const double last = (double)race->horizon;
    struct mk_round before = {race, 0, 0};
    int code = MK_OK;
    for (double t = 2; !code && race->bonus && t > 0; t = next_of(t, last)) {
        const struct mk_round now = mk_round_of(race, t);
        code = check_round(before.t > 0 ? &before : NULL, now, err);
        before = now;
    }
    return code;
}
