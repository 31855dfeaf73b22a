#include "policies/parts/line_residuals.h"

#include <math.h>
#include <stdbool.h>

enum { ORDER = MK_LINE_ORDER };

void mk_line_residuals_start(struct mk_line_residuals *r, double a, double b, double pulls)
{
    *r = (struct mk_line_residuals){.a = a, .b = b, .unit = pulls};
}

void mk_line_residuals_add(struct mk_line_residuals *r, double j, double low, double v)
{
    const double t = tanh(r->a + r->b * j), residual = low + v - t, u = j / r->unit;
    r->constant += residual * residual;
    r->linear += 2 * residual * v;
    r->quadratic += v * v;
    /* tanh' = 1 - tanh^2: (k+1) c_{k+1} = -sum_{i=0}^{k} c_i c_{k-i} for k > 0, c_0 = t */
    double c[ORDER + 2] = {t, (1 - t) * (1 + t)}, power[ORDER + 1] = {1};
    for (int m = 1; m <= ORDER; m++) power[m] = power[m - 1] * u;
    for (int k = 1; k <= ORDER; k++) {
        double d = 0;
        for (int i = 1; i < k; i++) d += c[i] * c[k - i];
        c[k + 1] = -(2 * t * c[k] + d) / (k + 1);
        const double own = d - 2 * residual * c[k], map = -2 * v * c[k];
        for (int m = 0; m <= k; m++) {
            r->own[k][m] += own * power[m];
            r->map[k][m] += map * power[m];
        }
    }
}

void mk_line_residuals_judge(struct mk_line_residuals *r, double n)
{
    r->reach = fmax(0x1p-20, fmin(0x1p-5, sqrt(r->constant / n)));
}

bool mk_line_residuals_at(const struct mk_line_residuals *r, double a, double b, double s, double n, double *sum)
{
    const double x0 = a - r->a, slope = b - r->b, x1 = slope * r->unit, stretch = s - 1;
    if (!(fmax(fabs(x0 + slope), fabs(x0 + slope * n)) <= r->reach)) return false;
    /* (x0 + x1 u)^k = sum_m part[m] u^m, by Pascal's rule */
    double total = r->constant + stretch * (r->linear + stretch * r->quadratic), part[ORDER + 1] = {1};
    for (int k = 1; k <= ORDER; k++) {
        part[k] = part[k - 1] * x1;
        for (int m = k - 1; m > 0; m--) part[m] = part[m] * x0 + part[m - 1] * x1;
        part[0] *= x0;
        for (int m = 0; m <= k; m++) total += part[m] * (r->own[k][m] + stretch * r->map[k][m]);
    }
    *sum = total > 0 ? total : 0;
    return true;
}
