/* One hyperparameter: its values, the unit interval, texts; the clauses of its conditions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/search/space/space.h"

void mk_clauses_free(struct mk_clause *clause, size_t n)
{
    for (size_t i = 0; clause && i < n; i++) free(clause[i].value);
    free(clause);
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Cells of equal width: all except reals without a step and whole numbers on a log scale. */
static bool has_equal_cells(const struct mk_hyper *h)
{
    return isfinite(h->levels) && !h->log;
}

/* A whole number divided by a power of ten up to 10^22 is the double nearest to the decimal. */
double mk_hyper_at_level(const struct mk_hyper *h, double level)
{
    const double x = h->lo + level * h->step;
    return fmin(h->scale > 0 ? rint(x * h->scale) / h->scale : x, h->hi);
}

double mk_hyper_value(const struct mk_hyper *h, double u)
{
    if (has_equal_cells(h)) return mk_hyper_at_level(h, clamp(floor(u * h->levels), 0, h->levels - 1));
    double x = h->a + u * (h->b - h->a);
    if (h->log) x = exp(x);
    if (h->kind == MK_HYPER_INTEGER) x = rint(x);
    return clamp(x, h->lo, h->hi);
}

double mk_hyper_unit(const struct mk_hyper *h, double v)
{
    if (has_equal_cells(h)) return (mk_hyper_level(h, v) + 0.5) / h->levels;
    return clamp(((h->log ? log(v) : v) - h->a) / (h->b - h->a), 0, 1);
}

double mk_hyper_level(const struct mk_hyper *h, double v)
{
    return rint((v - h->lo) / h->step);
}

/* A number of the range, on its grid. */
static bool take_number(const struct mk_hyper *h, double x, double *v)
{
    const double near = 1e-9 * h->step;
    if (!(x >= h->lo - near && x <= h->hi + near)) return false;
    *v = h->step > 0 ? mk_hyper_at_level(h, mk_hyper_level(h, x)) : x;
    return fabs(*v - x) <= near;
}

/* The word itself, or a word that is the same number: 10 for 10.0. */
static bool take_word(const struct mk_hyper *h, const char *text, size_t length, double *v)
{
    double x, y;
    for (size_t i = 0; i < h->n_words; i++)
        if (strlen(h->word[i]) == length && memcmp(h->word[i], text, length) == 0) {
            *v = (double)i;
            return true;
        }
    if (!mk_parse_real(text, length, &x)) return false;
    for (size_t i = 0; i < h->n_words; i++)
        if (mk_parse_real(h->word[i], strlen(h->word[i]), &y) && x == y) {
            *v = (double)i;
            return true;
        }
    return false;
}

bool mk_hyper_parse(const struct mk_hyper *h, const char *text, size_t length, double *v)
{
    double x;
    if (mk_hyper_is_word(h)) return take_word(h, text, length, v);
    return mk_parse_real(text, length, &x) && take_number(h, x, v);
}

const char *mk_hyper_text(const struct mk_hyper *h, double v, char room[MK_HYPER_TEXT])
{
    if (!mk_hyper_is_word(h)) return mk_format_real(v, room, MK_HYPER_TEXT);
    return h->word[(size_t)v];
}

const char *mk_hyper_range(const struct mk_hyper *h, char *out, size_t room)
{
    char lo[32], hi[32], all[160];
    if (mk_hyper_is_word(h)) {
        snprintf(out, room, "one of %s", mk_join((const char *const *)h->word, h->n_words, all, sizeof all));
        return out;
    }
    mk_format_real(h->lo, lo, sizeof lo);
    mk_format_real(h->hi, hi, sizeof hi);
    const char *what = h->kind == MK_HYPER_INTEGER ? "a whole number" : "a number";
    if (h->step > (h->kind == MK_HYPER_INTEGER)) {
        char step[32];
        snprintf(out, room, "%s from %s to %s in steps of %s", what, lo, hi,
                 mk_format_real(h->step, step, sizeof step));
    } else {
        snprintf(out, room, "%s from %s to %s", what, lo, hi);
    }
    return out;
}
