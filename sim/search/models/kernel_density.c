#include "sim/search/models/kernel_density.h"

#include <math.h>

static double count_words(const struct mk_kernel_density *k, size_t j)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n; i++) {
        size_t first = 0;
        while (k->x[first * k->d + j] != k->x[i * k->d + j]) first++;
        n += first == i;
    }
    return (double)n;
}

static double deviation(const struct mk_kernel_density *k, size_t j)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < k->n; i++) sum += k->x[i * k->d + j];
    const double mean = sum / (double)k->n;
    for (size_t i = 0; i < k->n; i++) squares += pow(k->x[i * k->d + j] - mean, 2);
    return sqrt(squares / (double)k->n);
}

void mk_kernel_density_fit(struct mk_kernel_density *k, double min)
{
    const double shrink = 1.06 * pow((double)k->n, -1 / (4 + (double)k->d));
    for (size_t j = 0; j < k->d; j++) {
        k->h[j] = fmax(shrink * deviation(k, j), min);
        k->words[j] = k->is_word[j] ? count_words(k, j) : 1;
    }
}

double mk_kernel_density(const struct mk_kernel_density *k, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < k->n; i++) {
        double product = 1;
        for (size_t j = 0; j < k->d; j++) {
            const double at = k->x[i * k->d + j], h = k->h[j], z = (at - x[j]) / h;
            if (k->is_word[j])
                product *= at == x[j] ? 1 - h : h / (k->words[j] - 1);
            else
                product *= exp(-z * z / 2) / (sqrt(2 * M_PI) * h);
        }
        sum += product;
    }
    return sum / (double)k->n;
}
