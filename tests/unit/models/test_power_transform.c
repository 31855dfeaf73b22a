/* Power transforms against scipy 1.10.1 and mpmath (tests/reference/power_scipy.py), and what holds for all of them. */
#include <stdbool.h>
#include <stdint.h>

#include "sim/search/models/power_transform.h"
#include "tests/support/check.h"
#include "tests/unit/models/power_answers.h"

enum { N = 30 };

static void sample(int shape, double *y)
{
    uint64_t state = (uint64_t)shape + 1;
    for (size_t i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double u = ((double)(state >> 11) + 0.5) * 0x1p-53;
        const double value[] = {u,
                                -log(u),
                                log(-log(u)),
                                pow(u, 4),
                                -21 - log(u),
                                1e4 * pow(u, 4),
                                0.2 * log(u),
                                50 + log(-log(u)),
                                i ? log(-log(u)) : -1000};
        y[i] = value[shape];
    }
}

static void check_scipy(void)
{
    double y[N];
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        const enum mk_transform t = powers[k].box_cox ? MK_TRANSFORM_BOX_COX : MK_TRANSFORM_YEO_JOHNSON;
        sample(powers[k].shape, y);
        const double power = mk_power_of(t, y, N);
        /* Far from 0 the likelihood is flat: 1e-6 changes it by less than its rounding. */
        CHECK(fabs(power - powers[k].power) < (powers[k].shape < 4 ? 1e-6 : 1e-5),
              "%s of sample %d: power %.9f, expected %.9f", powers[k].box_cox ? "Box-Cox" : "Yeo-Johnson",
              powers[k].shape, power, powers[k].power);
        CHECK_CLOSE(mk_power_transform(t, y[0], powers[k].power), powers[k].first, 1e-12, "and a value");
    }
}

/* Box-Cox of y^(1/a) has a times the power of y, as far as the powers that are looked at go. */
static void check_range(void)
{
    double y[N], root[N], other[N];
    sample(0, y); /* its power is 1.023 */
    const double power = mk_power_of(MK_TRANSFORM_BOX_COX, y, N), times[] = {0.5, 7, 19.4, 25};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        for (size_t i = 0; i < N; i++) {
            root[i] = pow(y[i], 1 / times[k]);
            other[i] = 1 / root[i];
        }
        const double want = fmin(20, times[k] * power);
        CHECK(fabs(mk_power_of(MK_TRANSFORM_BOX_COX, root, N) - want) < 1e-5 &&
                  fabs(mk_power_of(MK_TRANSFORM_BOX_COX, other, N) + want) < 1e-5,
              "roots of order %g have power %.6f, their inverses %.6f, expected %.6f and its negative", times[k],
              mk_power_of(MK_TRANSFORM_BOX_COX, root, N), mk_power_of(MK_TRANSFORM_BOX_COX, other, N), want);
    }
}

/* log(1 + y) and -log(1 - y) at the powers 0 and 2; power 1 changes nothing. */
static void check_limits(void)
{
    const enum mk_transform yj = MK_TRANSFORM_YEO_JOHNSON, bc = MK_TRANSFORM_BOX_COX;
    CHECK_CLOSE(mk_power_transform(yj, 3, 0), log(4), 1e-15, "Yeo-Johnson, power 0");
    CHECK_CLOSE(mk_power_transform(yj, -3, 2), -log(4), 1e-15, "power 2");
    CHECK_CLOSE(mk_power_transform(yj, -3, 1), -3, 1e-15, "power 1");
    CHECK_CLOSE(mk_power_transform(bc, 3, 0), log(3), 1e-15, "Box-Cox, power 0");
    CHECK_CLOSE(mk_power_transform(bc, 3, 1e-9), log(3), 1e-8, "and near it");
}

/* In units of the standard deviation: the unit of the rewards does not matter; the order stays; equal ones stay as they
 * are; Box-Cox of negative ones is Yeo-Johnson. */
static void check_all(void)
{
    double y[N], scaled[N], other[N], same[3] = {2, 2, 2};
    for (int shape = 0; shape < 4; shape++) {
        bool equal = true, ordered = true, differ = false;
        sample(shape, y);
        for (size_t i = 0; i < N; i++) {
            scaled[i] = 0x1p20 * y[i];
            other[i] = y[i];
        }
        mk_power_transform_all(MK_TRANSFORM_BOX_COX, scaled, N);
        mk_power_transform_all(MK_TRANSFORM_BOX_COX, other, N);
        for (size_t i = 0; i < N; i++) equal &= scaled[i] == other[i];
        for (size_t i = 1; i < N; i++) ordered &= (y[i] > y[i - 1]) == (other[i] > other[i - 1]);
        CHECK(equal && ordered, "sample %d: the unit does not matter, and the order stays", shape);
        mk_power_transform_all(MK_TRANSFORM_YEO_JOHNSON, y, N);
        for (size_t i = 0; i < N; i++) differ |= y[i] != other[i];
        CHECK(differ == (shape != 2), "Box-Cox is Yeo-Johnson where a reward is negative, and only there");
    }
    mk_power_transform_all(MK_TRANSFORM_YEO_JOHNSON, same, 3);
    CHECK(same[0] == 2 && mk_power_of(MK_TRANSFORM_YEO_JOHNSON, same, 3) == 1, "equal rewards stay");
}

/* Of y > 0, Yeo-Johnson is Box-Cox of 1 + y; of y < 0, it is that of 1 - y, turned round. So it is far from 0, where
 * (1 + |y|)^l is the same number for all y up to rounding, and where the spread must be kept all the same. */
static void check_far(void)
{
    for (int shape = 0; shape < 4; shape++) {
        double y[N], above[N], below[N], box[N];
        sample(shape, y);
        for (size_t i = 0; i < N; i++) {
            above[i] = 40 + 2 * y[i];
            below[i] = -above[i];
            box[i] = 1 + above[i];
        }
        const double power = mk_power_of(MK_TRANSFORM_BOX_COX, box, N);
        CHECK(fabs(mk_power_of(MK_TRANSFORM_YEO_JOHNSON, above, N) - power) < 1e-4, "far above 0");
        const double turned = 2 - mk_power_of(MK_TRANSFORM_YEO_JOHNSON, below, N); /* from -18 to 22 */
        CHECK(fabs(turned - power) < 1e-4 || (fabs(power) > 17.9 && fabs(turned) > 17.9), "far below 0: %g, %g", turned,
              power);
        const enum mk_transform way[] = {MK_TRANSFORM_YEO_JOHNSON, MK_TRANSFORM_BOX_COX};
        for (size_t k = 0; k < 2; k++) {
            double z[N], sum[2] = {0, 0}, squares[3] = {0, 0, 0};
            for (size_t i = 0; i < N; i++) z[i] = below[i];
            mk_power_transform_all(way[k], z, N);
            for (size_t i = 0; i < N; i++) {
                sum[0] += z[i] / N;
                sum[1] += below[i] / N;
            }
            for (size_t i = 0; i < N; i++) {
                squares[0] += (z[i] - sum[0]) * (z[i] - sum[0]);
                squares[1] += (below[i] - sum[1]) * (below[i] - sum[1]);
                squares[2] += (z[i] - sum[0]) * (below[i] - sum[1]);
            }
            CHECK(squares[2] > 0.9 * sqrt(squares[0] * squares[1]),
                  "sample %d: correlation %g with what is transformed", shape,
                  squares[2] / sqrt(squares[0] * squares[1]));
        }
    }
}

int main(void)
{
    check_scipy();
    check_range();
    check_far();
    check_limits();
    check_all();
    return CHECK_EXIT;
}
