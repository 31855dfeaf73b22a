/* Acquisition functions. Expected values: mpmath 1.3 with 400 digits, closed forms and adaptive quadrature of
 * (y - best - xi)+ phi alike to 70 digits; those of log h(z) with 50 digits. */
#include "sim/search/models/acquisition.h"
#include "tests/support/check.h"

static void check_log_improvement(void)
{
    static const double cases[][2] = {
        {-1000.0, -500014.73445209115845}, {-100.0, -5010.1295788002497923}, {-38.5, -749.3472742078229216},
        {-38.0, -730.19618340211373916},   {-30.0, -457.72465376059800405},  {-15.0, -118.84817068411358416},
        {-8.0, -37.122364261692633},       {-5.0, -16.744301162660990143},   {-4.0, -11.849061577550663111},
        {-3.9, -11.410393270072435348},    {-2.6, -6.5266645798849481705},   {-2.4, -5.9069601488339662362},
        {-1.0, -2.4851210257126413368},    {-0.1, -1.0471533140728460042},   {0.0, -0.91893853320467274178},
        {0.3, -0.56781715367793689615},    {2.0, 0.69738354578822831219},    {7.0, 1.9459101490553384526},
        {40.0, 3.6888794541139363029},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_CLOSE(mk_log_improvement(cases[i][0]), cases[i][1], 2e-15, "log h(%g)", cases[i][0]);
}

static void check_values(void)
{
    static const struct {
        double mean, sd, best, xi, ei, pi, ucb;
    } cases[] = {
        {0.3, 0.2, 0.5, 0.0, 0.016663094117537259677, 0.15865525393145705141, 0.3},
        {0.3, 0.2, 0.5, 0.01, 0.015136026297908455386, 0.14685905637589594545, 0.302},
        {-2.0, 1.5, 1.0, 0.1, 0.010633210098469706989, 0.019382787088818602573, -1.85},
        {0.0, 0.1, 3.0, 0.0, 1.6319567340914011894e-200, 4.9067139271481870595e-198, 0.0},
        {5.0, 2.0, 1.0, 0.0, 4.0169814052336592751, 0.9772498680518207928, 5.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double mean = cases[i].mean, sd = cases[i].sd, best = cases[i].best, xi = cases[i].xi;
        /* z is rounded, and its error counts z times in exp(-z^2 / 2). */
        CHECK_CLOSE(mk_acquisition_value(MK_ACQUISITION_EI, mean, sd, best, xi), cases[i].ei, 1e-12, "EI, case %zu", i);
        CHECK_CLOSE(mk_acquisition_value(MK_ACQUISITION_PI, mean, sd, best, xi), cases[i].pi, 1e-12, "PI, case %zu", i);
        CHECK_CLOSE(mk_acquisition_value(MK_ACQUISITION_UCB, mean, sd, best, xi), cases[i].ucb, 1e-15, "UCB, case %zu",
                    i);
        CHECK_CLOSE(mk_acquisition_value(MK_ACQUISITION_LOG_EI, mean, sd, best, xi), log(cases[i].ei), 1e-14,
                    "logEI, case %zu", i);
    }
    CHECK(mk_acquisition_value(MK_ACQUISITION_EI, 1, 0, 0.5, 0) == 0.5 &&
              mk_acquisition_value(MK_ACQUISITION_EI, 0, 0, 0.5, 0) == 0 &&
              mk_acquisition_value(MK_ACQUISITION_LOG_EI, 0, 0, 0.5, 0) == -INFINITY &&
              mk_acquisition_value(MK_ACQUISITION_PI, 0, 0, 0.5, 0) == 0,
          "without spread");
    CHECK(mk_acquisition_xi(MK_ACQUISITION_UCB, NAN) == 2 && mk_acquisition_xi(MK_ACQUISITION_LOG_EI, NAN) == 0 &&
              mk_acquisition_xi(MK_ACQUISITION_UCB, 0) == 0,
          "xi by default");
}

static void check_log_cost(void)
{
    static const double cases[][5] = {
        {0.3, 0.2, 0.5, 0.0, -1.1980995327594047747},     {0.3, 0.2, 0.1, 0.01, -4.1867121064118316781},
        {-2.0, 1.5, -5.0, 0.1, -10.058656568749526241},   {0.0, 0.1, -3.0, 0.0, -463.03055566665264915},
        {0.0, 0.1, -3.7, 0.05, -717.3499910171643125},    {-1.0, 0.01, 1.0, 0.0, 0.85457871602272923894},
        {0.0, 0.001, -0.01, 0.0, -62.470974501982973729},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *c = cases[i];
        double got = mk_acquisition_log_cost(MK_ACQUISITION_LOG_EI, c[0], c[1], c[2], c[3]);
        CHECK(fabs(got - c[4]) < 1e-12 * fmax(1, fabs(c[4])), "log EI of a cost, case %zu: %.17g, want %.17g", i, got,
              c[4]);
        CHECK_CLOSE(mk_acquisition_log_cost(MK_ACQUISITION_EI, c[0], c[1], c[2], c[3]), exp(c[4]), 1e-11,
                    "EI of a cost, case %zu", i);
    }
    CHECK_CLOSE(mk_acquisition_log_cost(MK_ACQUISITION_EI, 0, 0, 1, 0), exp(1) - 1, 1e-15, "a cost without spread");
    CHECK(mk_acquisition_log_cost(MK_ACQUISITION_PI, 1, 1, 1, 0) == 0.5, "PI of a cost");
}

static void check_gradients(void)
{
    static const double at[][3] = {{0.3, 0.2, 0.5}, {-2, 1.5, 1}, {5, 2, 1}, {0, 0.1, 0.26}, {0, 0.1, 3}};
    for (int a = MK_ACQUISITION_EI; a <= MK_ACQUISITION_UCB; a++) {
        double worst = 0;
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            double of_mean, of_sd, m = at[i][0], s = at[i][1], b = at[i][2], step = 1e-6, difference[2];
            mk_acquisition_gradient(a, m, s, b, 0.1, &of_mean, &of_sd);
            difference[0] = mk_acquisition_value(a, m + step, s, b, 0.1) - mk_acquisition_value(a, m - step, s, b, 0.1);
            difference[1] = mk_acquisition_value(a, m, s + step, b, 0.1) - mk_acquisition_value(a, m, s - step, b, 0.1);
            worst = fmax(worst, fabs(difference[0] / (2 * step) - of_mean) / (1 + fabs(of_mean)));
            worst = fmax(worst, fabs(difference[1] / (2 * step) - of_sd) / (1 + fabs(of_sd)));
        }
        CHECK(worst < 1e-6, "derivatives of acquisition %d against differences: %g", a, worst);
    }
}

/* The value increases with the mean everywhere, even where the plain form gives 0: no ties. */
static void check_order(void)
{
    int wrong = 0;
    double before = -INFINITY;
    for (int i = 0; i <= 20000; i++) {
        double value = mk_acquisition_value(MK_ACQUISITION_LOG_EI, -60 + i * 0.005, 1, 10, 0);
        wrong += !(value > before);
        before = value;
    }
    CHECK(!wrong, "logEI increases strictly from z = -70 to 30, over the seams at -8, -4 and -2.5");
    CHECK_CLOSE(mk_mills_ratio(2.5), mk_mills_ratio(nextafter(2.5, 0)), 1e-14, "Mills' ratio at its seam");
    CHECK_CLOSE(mk_mills_ratio(0), sqrt(M_PI / 2), 1e-15, "Mills' ratio at 0");
}

int main(void)
{
    check_log_improvement();
    check_values();
    check_log_cost();
    check_gradients();
    check_order();
    return CHECK_EXIT;
}
