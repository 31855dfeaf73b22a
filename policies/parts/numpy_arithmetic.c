#include "policies/parts/numpy_arithmetic.h"

size_t mk_numpy_bytes(const struct mk_setup *s, int on)
{
    return on ? s->arms * sizeof(struct mk_history) + mk_history_bytes(s->arms, (size_t)s->horizon) : 0;
}

void mk_numpy_init(struct mk_numpy *r, void *memory, const struct mk_setup *s, int on)
{
    r->history = on ? memory : NULL;
    if (!on) return;
    memset(r->history, 0, s->arms * sizeof *r->history);
    r->arena = (struct mk_arena){(char *)(r->history + s->arms), (char *)memory + mk_numpy_bytes(s, on), NULL};
}

static inline double term(double x, const struct mk_affine *map, double from, int square)
{
    double y = mk_affine_value(map, x) - from;
    return square ? y * y : y;
}

/* Up to 128 terms, in eight lanes; compiled for the constants that it is called with. */
static inline double block(const double *x, size_t n, const struct mk_affine *map, double from, int square)
{
    double sum = 0;
    size_t i = 0;
    if (n >= 8) {
        double r[8];
        for (; i < 8; i++) r[i] = term(x[i], map, from, square);
        for (; i < n - n % 8; i += 8)
            for (size_t j = 0; j < 8; j++) r[j] += term(x[i + j], map, from, square);
        sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; i < n; i++) sum += term(x[i], map, from, square);
    return sum;
}

double mk_numpy_sum(const double *x, size_t n, const struct mk_affine *map, double from, int square)
{
    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;
        return mk_numpy_sum(x, half, map, from, square) + mk_numpy_sum(x + half, n - half, map, from, square);
    }
    if (from == 0) return square ? block(x, n, map, 0, 1) : block(x, n, map, 0, 0);
    return square ? block(x, n, map, from, 1) : block(x, n, map, from, 0);
}

double mk_numpy_mean(const struct mk_numpy *r, size_t arm, double from, int square)
{
    const struct mk_history *h = &r->history[arm];
    return mk_numpy_sum(h->x, h->n, &r->map, from, square) / (double)h->n;
}
