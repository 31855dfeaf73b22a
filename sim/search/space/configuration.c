/* Configurations of a search space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "sim/base/number.h"
#include "sim/base/yaml_values.h"
#include "sim/search/space/formula.h"

enum { STEPS = 50 }; /* normal steps tried before a neighbour is the next level */

size_t mk_space_find(const struct mk_space *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->hyper[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static bool same_clause(const struct mk_clause *a, const struct mk_clause *b)
{
    return a->of == b->of && a->n_values == b->n_values &&
           (a->n_values ? memcmp(a->value, b->value, a->n_values * sizeof *a->value) == 0
                        : a->lo == b->lo && a->hi == b->hi && a->lo_open == b->lo_open && a->hi_open == b->hi_open);
}

bool mk_space_active_together(const struct mk_space *s, size_t i, size_t j)
{
    const struct mk_hyper *a = &s->hyper[i], *b = &s->hyper[j];
    bool same = a->n_when == b->n_when;
    for (size_t c = 0; same && c < a->n_when; c++) same = same_clause(&a->when[c], &b->when[c]);
    return same;
}

/* False for an inactive hyperparameter. */
static bool holds(const struct mk_clause *c, const double *v)
{
    const double x = v[c->of];
    if (isnan(x)) return false;
    for (size_t i = 0; i < c->n_values; i++)
        if (x == c->value[i]) return true;
    if (c->n_values) return false;
    return (c->lo_open ? x > c->lo : x >= c->lo) && (c->hi_open ? x < c->hi : x <= c->hi);
}

bool mk_space_active(const struct mk_space *s, const double *v, size_t i)
{
    const struct mk_hyper *h = &s->hyper[i];
    for (size_t c = 0; c < h->n_when; c++)
        if (!holds(&h->when[c], v)) return false;
    return true;
}

void mk_space_complete(const struct mk_space *s, double *v)
{
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = s->order[i];
        if (!mk_space_active(s, v, at))
            v[at] = NAN;
        else if (isnan(v[at]))
            v[at] = s->hyper[at].def;
    }
}

static bool is_forbidden(const struct mk_forbidden *f, const double *v)
{
    for (size_t i = 0; i < f->n; i++)
        if (!holds(&f->clause[i], v)) return false;
    for (size_t i = 0; i < f->n_relations; i++)
        if (!mk_hyper_relation_holds(&f->relation[i], v)) return false;
    return true;
}

/* Whether x is beyond an end of its range that depends on others; NaN, of x or an end, is not. */
static bool is_beyond(const struct mk_hyper *h, double x, const double *v)
{
    return (h->bound[0] && x < mk_formula_value(h->bound[0], v)) ||
           (h->bound[1] && x > mk_formula_value(h->bound[1], v));
}

bool mk_space_allows(const struct mk_space *s, const double *v)
{
    if (s->n_rows) return mk_space_row(s, v) != SIZE_MAX;
    for (size_t i = 0; i < s->n_forbidden; i++)
        if (is_forbidden(&s->forbidden[i], v)) return false;
    for (size_t i = 0; i < s->n_bounded; i++)
        if (is_beyond(&s->hyper[s->bounded[i]], v[s->bounded[i]], v)) return false;
    return true;
}

static bool same(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

size_t mk_space_row(const struct mk_space *s, const double *v)
{
    const uint64_t digest = mk_space_configuration_digest(s, v);
    size_t lo = 0, hi = s->n_rows;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->row_key[mid].digest < digest)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < s->n_rows && s->row_key[lo].digest == digest; lo++)
        if (same(s->row + s->row_key[lo].row * s->n, v, s->n)) return s->row_key[lo].row;
    return SIZE_MAX;
}

static void copy_row(const struct mk_space *s, size_t row, double *v)
{
    memcpy(v, s->row + row * s->n, s->n * sizeof *v);
}

void mk_space_default(const struct mk_space *s, double *v)
{
    if (s->n_rows) {
        copy_row(s, 0, v);
        return;
    }
    for (size_t i = 0; i < s->n; i++) v[i] = NAN;
    mk_space_complete(s, v);
}

/* The row that u in [0, 1] stands for. */
static size_t row_at(const struct mk_space *s, double u)
{
    size_t first = 0, n = s->n_rows;
    if (s->n_arms) {
        const double place = u * (double)s->n_arms;
        const size_t k = (size_t)place < s->n_arms ? (size_t)place : s->n_arms - 1;
        first = s->arm_row[k];
        n = s->arm_row[k + 1] - first;
        u = place - (double)k;
    }
    const size_t row = (size_t)(u * (double)n);
    return first + (row < n ? row : n - 1);
}

static bool names_first(const struct mk_formula *f)
{
    bool any = false;
    for (size_t i = 0; f && i < f->n; i++) any |= f->of[i] == 0;
    return any;
}

static bool forbids_first(const struct mk_forbidden *f)
{
    bool any = false;
    for (size_t i = 0; i < f->n; i++) any |= f->clause[i].of == 0;
    for (size_t i = 0; i < f->n_relations; i++)
        any |= names_first(&f->relation[i].left) || names_first(&f->relation[i].right);
    return any;
}

static bool begins_with_free_choice(const struct mk_space *s)
{
    bool is_free = s->hyper[0].choice && !s->hyper[0].n_when;
    for (size_t i = 0; is_free && i < s->n_forbidden; i++) is_free = !forbids_first(&s->forbidden[i]);
    for (size_t i = 0; is_free && i < s->n_bounded; i++) {
        const struct mk_hyper *h = &s->hyper[s->bounded[i]];
        is_free = !names_first(h->bound[0]) && !names_first(h->bound[1]);
    }
    return is_free;
}

void mk_space_sample(const struct mk_space *s, struct mk_pcg64 *rng, double *v)
{
    if (s->n_rows) {
        copy_row(s, row_at(s, mk_uniform(rng)), v);
        return;
    }
    size_t first = 0;
    for (int try = 0; try < MK_SPACE_TRIES; try++) {
        for (size_t i = first; i < s->n; i++) {
            const size_t at = s->order[i];
            v[at] = mk_space_active(s, v, at) ? mk_hyper_value(&s->hyper[at], mk_uniform(rng)) : NAN;
        }
        if (!mk_space_forbids(s) || mk_space_allows(s, v)) return;
        if (try == 0) first = begins_with_free_choice(s); /* it also comes first in the order, and keeps its word */
    }
    mk_space_default(s, v);
}

void mk_space_from_unit(const struct mk_space *s, const double *u, double *v)
{
    if (s->n_rows) {
        copy_row(s, row_at(s, u[0]), v);
        return;
    }
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = s->order[i];
        v[at] = mk_space_active(s, v, at) ? mk_hyper_value(&s->hyper[at], u[at]) : NAN;
    }
}

void mk_space_to_unit(const struct mk_space *s, const double *v, double *u)
{
    for (size_t i = 0; i < s->n; i++) u[i] = isnan(v[i]) ? NAN : mk_hyper_unit(&s->hyper[i], v[i]);
}

void mk_tree_features(const struct mk_space *s, const double *v, double *x)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_hyper *h = &s->hyper[i];
        if (mk_hyper_is_word(h))
            x[i] = isnan(v[i]) ? (double)h->n_words : v[i];
        else
            x[i] = isnan(v[i]) ? -1 : mk_hyper_unit(h, v[i]);
    }
}

/* Standard normal. */
static double normal(struct mk_pcg64 *rng)
{
    return sqrt(-2 * log(mk_uniform(rng))) * cos(2 * M_PI * mk_uniform(rng));
}

/* Another value of an ordered hyperparameter: a normal step within the unit interval that changes the value. */
static double step_from(const struct mk_hyper *h, struct mk_pcg64 *rng, double v, double sd)
{
    const double from = mk_hyper_unit(h, v);
    for (int i = 0; i < STEPS; i++) {
        double u = from + sd * normal(rng);
        if (!(u >= 0 && u <= 1)) continue;
        double x = mk_hyper_value(h, u);
        if (x != v) return x;
    }
    /* Cells much wider than the step. */
    bool up = v <= h->lo || (v < h->hi && mk_uniform(rng) < 0.5);
    const double level = mk_hyper_level(h, v);
    return isfinite(h->levels) ? mk_hyper_at_level(h, up ? level + 1 : level - 1) : mk_hyper_value(h, mk_uniform(rng));
}

bool mk_space_neighbour(const struct mk_space *s, struct mk_pcg64 *rng, const double *v, size_t i, double sd,
                        double *out)
{
    const struct mk_hyper *h = &s->hyper[i];
    if (isnan(v[i]) || h->levels == 1) return false;
    if (mk_hyper_is_ordered(h)) return mk_space_with(s, v, i, step_from(h, rng, v[i], sd), out);
    const double other = (double)mk_uniform_below(rng, h->n_words - 1);
    return mk_space_with(s, v, i, other + (other >= v[i]), out);
}

bool mk_space_with(const struct mk_space *s, const double *v, size_t i, double x, double *out)
{
    memcpy(out, v, s->n * sizeof *out);
    out[i] = x;
    mk_space_complete(s, out);
    return mk_space_allows(s, out);
}

double mk_space_distance(const struct mk_space *s, const double *u, const double *w, double most)
{
    double sum = 0;
    for (size_t i = 0; i < s->n && sum <= most; i++) {
        if (isnan(u[i]) || isnan(w[i])) continue;
        const double apart = u[i] - w[i];
        sum += mk_hyper_is_ordered(&s->hyper[i]) ? apart * apart : 2 * (u[i] != w[i]);
    }
    return sum;
}

/* Stafford's variant 13 of MurmurHash3's last step, for every value: quicker than a key, and no stream rests on it. */
uint64_t mk_space_configuration_digest(const struct mk_space *s, const double *v)
{
    uint64_t digest = 0x243f6a8885a308d3u;
    for (size_t i = 0; i < s->n; i++) {
        if (isnan(v[i])) continue;
        const uint64_t bits = mk_bits_of(v[i] == 0 ? 0 : v[i]); /* -0 is 0 */
        digest += bits + (i + 1) * 0x9e3779b97f4a7c15u;
        digest = (digest ^ digest >> 30) * 0xbf58476d1ce4e5b9u;
        digest = (digest ^ digest >> 27) * 0x94d049bb133111ebu;
        digest ^= digest >> 31;
    }
    return digest;
}

static double rounded(const struct mk_hyper *h, double v, int digits)
{
    return h->kind == MK_HYPER_REAL && !(h->step > 0) ? fmin(fmax(mk_round_digits(v, digits), h->lo), h->hi) : v;
}

char *mk_space_configuration_rounded(const struct mk_space *s, const double *v, int digits)
{
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1);
    bool good = mapping != NULL;
    for (size_t i = 0; good && i < s->n; i++) {
        const struct mk_hyper *h = &s->hyper[i];
        char room[MK_HYPER_TEXT];
        if (!isnan(v[i])) good = mk_add_text(mapping, h->name, mk_hyper_text(h, rounded(h, v[i], digits), room));
    }
    return mk_node_line(mapping, good);
}

char *mk_space_configuration_text(const struct mk_space *s, const double *v)
{
    return mk_space_configuration_rounded(s, v, 17);
}

void mk_put_json_configuration(FILE *to, const struct mk_space *space, const double *v)
{
    char room[MK_HYPER_TEXT];
    const char *between = "";
    putc('{', to);
    for (size_t i = 0; i < space->n; i++) {
        const struct mk_hyper *h = &space->hyper[i];
        if (isnan(v[i])) continue;
        fputs(between, to);
        mk_put_json_text(to, h->name);
        fputs(": ", to);
        if (mk_hyper_is_word(h))
            mk_put_json_scalar(to, mk_hyper_text(h, v[i], room), h->is_text && h->is_text[(size_t)v[i]]);
        else
            fputs(mk_hyper_text(h, v[i], room), to);
        between = ", ";
    }
    putc('}', to);
}
