#include "distributions/candidates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "distributions/dist_read.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/yaml_values.h"

/* ---- point masses ---- */

/* The places where there may be some, ascending and distinct: break points and ends of the support. */
static size_t list_places(const struct mk_dist *d, double *x)
{
    size_t n = mk_dist_breaks(d, x), distinct = 0;
    mk_dist_support(d, &x[n], &x[n + 1]);
    n += 2;
    qsort(x, n, sizeof *x, mk_compare_reals);
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]) && (distinct == 0 || x[i] != x[distinct - 1])) x[distinct++] = x[i];
    return distinct;
}

static int find_masses(struct mk_candidate_arm *c, struct mk_error *err)
{
    const size_t most = mk_dist_breaks(c->dist, NULL) + 2;
    double sum = 0;
    c->value = malloc(most * sizeof *c->value);
    c->cdf = malloc(most * sizeof *c->cdf);
    if (!c->value || !c->cdf) return mk_fail_memory(err, "candidates");
    const size_t places = list_places(c->dist, c->value);
    for (size_t i = 0; i < places; i++) {
        const double p = mk_dist_between(c->dist, c->value[i], c->value[i]);
        if (!(p > 0)) continue;
        sum += p;
        c->value[c->n_values] = c->value[i];
        c->cdf[c->n_values++] = fmin(1, sum);
    }
    if (fabs(sum - 1) < 1e-12)
        c->cdf[c->n_values - 1] = 1;
    else
        c->n_values = 0;
    if (c->n_values || most == 2) return MK_OK;
    c->breaks = malloc(most * sizeof *c->breaks);
    if (!c->breaks) return mk_fail_memory(err, "candidates");
    c->n_breaks = mk_dist_breaks_down(c->dist, c->breaks);
    return MK_OK;
}

/* ---- a set ---- */

void mk_candidates_free(struct mk_candidates *c)
{
    if (!c || __atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL) > 0) return;
    for (size_t i = 0; c->of && i < c->n; i++) {
        if (!c->borrowed) mk_dist_free(c->of[i].dist);
        free(c->of[i].value);
        free(c->of[i].cdf);
        free(c->of[i].breaks);
    }
    free(c->of);
    mk_node_free(c->node);
    free(c);
}

struct mk_candidates *mk_candidates_share(struct mk_candidates *c)
{
    if (c) __atomic_add_fetch(&c->users, 1, __ATOMIC_RELAXED);
    return c;
}

static int new_set(struct mk_candidates **out, size_t n, struct mk_error *err)
{
    struct mk_candidates *c = *out = calloc(1, sizeof *c);
    if (!c) return mk_fail_memory(err, "candidates");
    c->users = 1;
    c->of = calloc(n, sizeof *c->of);
    if (!c->of) return mk_fail_memory(err, "candidates");
    c->n = n;
    return MK_OK;
}

static int finish(struct mk_candidates **out, int code)
{
    if (!code) return MK_OK;
    mk_candidates_free(*out);
    *out = NULL;
    return code;
}

int mk_candidates_read(struct mk_candidates **out, const struct mk_node *list, const struct mk_dist_reader *reader,
                       struct mk_error *err)
{
    struct mk_dist_reader by = reader ? *reader : (struct mk_dist_reader){0};
    by.key = "candidates";
    by.levels = 8;
    *out = NULL;
    int code = mk_check_list(list, "candidates", "distribution", err);
    if (!code && list->n > MK_CANDIDATES)
        code = mk_fail_at(err, list->where, "candidates", "expected at most %d distributions, got %zu", MK_CANDIDATES,
                          list->n);
    if (code) return code;
    code = new_set(out, list->n, err);
    if (!code && !((*out)->node = mk_node_new(MK_NODE_LIST, 1))) code = mk_fail_memory(err, "candidates");
    for (size_t i = 0; i < list->n && !code; i++) {
        struct mk_node *to = mk_node_add((*out)->node, NULL, mk_node_new(MK_NODE_MAPPING, 1));
        code = to ? mk_dist_read(&(*out)->of[i].dist, &by, list->child[i], to, err) : mk_fail_memory(err, "candidates");
        if (!code) code = find_masses(&(*out)->of[i], err);
    }
    return finish(out, code);
}

int mk_candidates_borrow(struct mk_candidates **out, struct mk_dist *const *dist, size_t n, struct mk_error *err)
{
    int code = new_set(out, n, err);
    for (size_t i = 0; i < n && !code; i++) {
        (*out)->borrowed = true;
        (*out)->of[i].dist = dist[i];
        code = find_masses(&(*out)->of[i], err);
    }
    return finish(out, code);
}

int mk_candidates_of_runs(struct mk_candidates **out, size_t instances, size_t arms, struct mk_error *err)
{
    const int code = new_set(out, instances * arms, err);
    if (!code) (*out)->arms = arms;
    return finish(out, code);
}

int mk_candidate_of_rewards(struct mk_candidate_arm *c, double *reward, size_t n, struct mk_error *err)
{
    c->value = malloc(n * sizeof *c->value);
    c->cdf = malloc(n * sizeof *c->cdf);
    if (!c->value || !c->cdf) return mk_fail_memory(err, "candidates");
    qsort(reward, n, sizeof *reward, mk_compare_reals);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && reward[i + 1] == reward[i]) continue;
        c->value[c->n_values] = reward[i];
        c->cdf[c->n_values++] = (double)(i + 1) / (double)n;
    }
    return MK_OK;
}

char *mk_candidates_text(const struct mk_candidates *c)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    bool good = f != NULL;
    for (size_t i = 0; good && i < c->n; i++) {
        char *one = mk_dist_text(c->of[i].dist);
        good = one && fprintf(f, "%s%s", i ? ", " : "[", one) > 0;
        free(one);
    }
    if (good) fputc(']', f);
    good = f && fclose(f) == 0 && good;
    if (good) return text;
    free(text);
    return NULL;
}

int mk_candidates_parameter(const struct mk_param *params)
{
    for (size_t i = 0; i < mk_param_count(params); i++)
        if (params[i].kind == MK_PARTS) return (int)i;
    return -1;
}

/* ---- what follows from them ---- */

double mk_candidate_gain(const struct mk_candidate_arm *c, double n, double best)
{
    double sum = 0, now = 1;
    if (c->n_values == 0) {
        struct mk_error err;
        const int code = mk_dist_expected_excess_at(c->dist, c->breaks, c->n_breaks, n, best, true, &sum, &err);
        return code || isnan(sum) ? 0 : sum;
    }
    for (size_t v = c->n_values; v-- > 0 && c->value[v] > best && now > 1e-20;) {
        const double below = v ? pow(c->cdf[v - 1], n) : 0;
        sum += (now - below) * (c->value[v] - best);
        now = below;
    }
    return sum;
}

void mk_candidates_likelihood(const struct mk_candidates *c, double reward, double *log_of)
{
    static const double most = 1e300; /* the density at a pole */
    bool masses = false;
    for (size_t i = 0; i < c->n; i++) {
        log_of[i] = mk_dist_between(c->of[i].dist, reward, reward);
        masses |= log_of[i] > 0;
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct mk_dist *d = c->of[i].dist;
        log_of[i] = log(masses ? log_of[i] : fmin(most, fmax(0, d->type->density(d, reward))));
    }
}
