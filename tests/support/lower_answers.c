/* Answers of models, acquisition functions and optimisers, for comparison with other programs
 * (tests/validate/lower.py). One request after another on standard input, words and numbers; one line of numbers for
 * each on standard output:
 *
 *     acquisition NAME mean sd best xi            → value
 *     gp SHAPE n d nominal[d] theta[d + 2] x[n][d] y[n] m p[m][d]
 *                                                 → log likelihood, its gradient [d + 2], m times mean and variance
 *     parzen BANDWIDTH NORMALISE d {words cell}[d] n u[n][d] m x[m][d]
 *                                                 → log densities [m]
 *     kde least d {word}[d] n x[n][d] m p[m][d]   → densities [m]
 *     race n k y[n][k] alpha                      → the best of k by n blocks (costs), and which of them stay [k]
 *     plan N left j first each elites old add     → number of races, B_j, N_j
 *     forest TREES FEATURES MIN_SPLIT MIN_LEAF BOOTSTRAP RANDOM n d x[n][d] y[n] m p[m][d] forests
 *                                                 → mean and variance [forests][m]
 *     search OPTIMIZER n {parameter value}[n] OBJECTIVE SPACE T above searches
 *                                                 → the best reward of T and how many exceed `above` [searches]
 *     course OPTIMIZER n {parameter value}[n] OBJECTIVE SPACE T searches
 *                                                 → the best reward of T/8, T/4, T/2 and T [searches]
 *
 * NAME, SHAPE … are the words of parameters; OBJECTIVE is name,key=value,…; SPACE is a YAML file, or - for its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/search/models/acquisition.h"
#include "sim/search/models/cholesky.h"
#include "sim/search/models/forest.h"
#include "sim/search/models/gaussian_process.h"
#include "sim/search/models/kernel_density.h"
#include "sim/search/models/parzen.h"
#include "sim/search/models/race_test.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/plan/race.h"
#include "sim/search/space/space_read.h"
#include "tests/support/objectives.h"

enum { WORD = 400 };

static void stop(const char *what)
{
    fprintf(stderr, "lower_answers: %s\n", what);
    exit(1);
}

static void check(int code, const struct mk_error *err)
{
    if (code) stop(err->text);
}

/* ---- requests ---- */

static const char *word(char room[WORD])
{
    if (scanf("%399s", room) != 1) stop("the request ends too early");
    return room;
}

static double number(void)
{
    double x;
    if (scanf("%lf", &x) != 1) stop("expected a number");
    return x;
}

static size_t count(void)
{
    return (size_t)number();
}

static void *room_for(size_t n, size_t size)
{
    void *room = calloc(n + 1, size);
    if (!room) stop("out of memory");
    return room;
}

static double *numbers(size_t n)
{
    double *x = room_for(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = number();
    return x;
}

/* n rows of d numbers by columns. */
static double *columns(size_t n, size_t d)
{
    double *x = room_for(n * d, sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) x[j * n + i] = number();
    return x;
}

/* The position of a word among choices "a|b|c". */
static int choice(const char *choices)
{
    char room[WORD];
    const int found = mk_choice_find(choices, word(room));
    if (found < 0) stop(room);
    return found;
}

/* ---- models ---- */

static void answer_acquisition(void)
{
    const int a = choice(MK_ACQUISITION_CHOICES);
    double *x = numbers(4);
    printf("%.17g", mk_acquisition_value((enum mk_acquisition)a, x[0], x[1], x[2], x[3]));
    free(x);
}

static void answer_gp(void)
{
    const int shape = choice(MK_GP_SHAPE_CHOICES);
    const size_t n = count(), d = count();
    bool *nominal = room_for(d, sizeof *nominal);
    size_t *weight_of = room_for(d, sizeof *weight_of);
    for (size_t i = 0; i < d; i++) {
        nominal[i] = number() != 0;
        weight_of[i] = i;
    }
    double *theta = numbers(d + 2), *x = columns(n, d), *y = numbers(n);
    double *l = room_for(mk_packed_size(n), sizeof *l), *gradient = room_for(d + 2, sizeof *gradient);
    const size_t m = count();
    double *p = numbers(m * d), mean, variance;
    const struct mk_gp g = {(enum mk_gp_shape)shape, d, nominal, weight_of, d};
    struct mk_gp_work w = {0};
    struct mk_error err;
    check(mk_gp_reserve(&w, n, &err), &err);
    printf("%.17g", mk_gp_log_likelihood(&g, theta, x, n, y, n, gradient, &w));
    for (size_t i = 0; i < d + 2; i++) printf(" %.17g", gradient[i]);
    mk_gp_covariance(&g, theta, x, n, 0, n, l);
    if (mk_cholesky_extend(l, 0, n) != n) stop("the covariance is singular");
    mk_cholesky_forward(l, n, y);
    mk_cholesky_backward(l, n, y);
    for (size_t i = 0; i < m; i++) {
        mk_gp_predict(&g, theta, x, n, n, l, y, p + i * d, &mean, &variance, NULL, &w);
        printf(" %.17g %.17g", mean, variance);
    }
    mk_gp_work_free(&w);
    void *all[] = {nominal, weight_of, theta, x, y, l, gradient, p};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void answer_parzen(void)
{
    const int bandwidth = choice(MK_BANDWIDTH_CHOICES), normalise = choice("no|yes");
    const size_t d = count();
    struct mk_parzen_axis *axis = room_for(d, sizeof *axis);
    for (size_t j = 0; j < d; j++) {
        axis[j].words = count();
        axis[j].cell = number();
    }
    const size_t n = count();
    double *u = numbers(n * d);
    const size_t m = count();
    double *x = numbers(m * d);
    struct mk_parzen p = {0};
    struct mk_error err;
    check(mk_parzen_build(&p, axis, d, u, d, n, (enum mk_bandwidth)bandwidth, normalise, &err), &err);
    for (size_t i = 0; i < m; i++) printf("%s%.17g", i ? " " : "", mk_parzen_log_density(&p, x + i * d));
    mk_parzen_free(&p);
    free(axis);
    free(u);
    free(x);
}

static void answer_kde(void)
{
    const double least = number();
    const size_t d = count();
    bool *is_word = room_for(d, sizeof *is_word);
    for (size_t j = 0; j < d; j++) is_word[j] = count() != 0;
    const size_t n = count();
    double *x = numbers(n * d);
    const size_t m = count();
    double *p = numbers(m * d);
    struct mk_kernel_density k = {.n = n, .d = d, .x = x, .is_word = is_word};
    k.h = room_for(d, sizeof *k.h);
    k.words = room_for(d, sizeof *k.words);
    mk_kernel_density_fit(&k, least);
    for (size_t i = 0; i < m; i++) printf("%s%.17g", i ? " " : "", mk_kernel_density(&k, p + i * d));
    void *all[] = {is_word, x, p, k.h, k.words};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void answer_race(void)
{
    const size_t n = count(), k = count();
    double *cost = numbers(n * k), *sum = room_for(k, sizeof *sum);
    const double alpha = number();
    bool *stays = room_for(k, sizeof *stays);
    void *scratch = room_for(1, mk_race_test_bytes(n, k));
    for (size_t i = 0; i < n * k; i++) cost[i] = -cost[i];
    printf("%zu", mk_race_test(scratch, cost, n, k, alpha, sum, stays));
    for (size_t j = 0; j < k; j++) printf(" %d", stays[j]);
    void *all[] = {cost, sum, stays, scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* The number of races of N hyperparameters, and B_j and N_j of a race. */
static void answer_plan(void)
{
    double *x = numbers(8);
    const unsigned races = mk_race_count(x[0]), j = (unsigned)x[2];
    const uint64_t budget = mk_race_budget((uint64_t)x[1], races, j);
    const struct mk_race_plan p = {
        j, budget, (uint64_t)x[3], (uint64_t)x[4], (uint64_t)x[5], (uint64_t)x[6], (uint64_t)x[7]};
    printf("%u %llu %llu", races, (unsigned long long)budget, (unsigned long long)mk_race_size(MK_READING_SOURCE, &p));
    free(x);
}

static void answer_forest(void)
{
    double *o = numbers(6);
    const struct mk_forest_options options = {(size_t)o[0], (size_t)o[1], (size_t)o[2], (size_t)o[3],
                                              o[4] != 0,    o[5] != 0,    false};
    const size_t n = count(), d = count();
    double *x = columns(n, d), *y = numbers(n);
    const size_t m = count();
    double *p = numbers(m * d);
    const size_t forests = count();
    double *tree = room_for(options.trees * m, sizeof *tree), *moment = room_for(2 * m, sizeof *moment);
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 1, 1);
    for (size_t k = 0; k < forests; k++) {
        check(mk_forest_fit(&f, &options, x, n, d, y, n, &rng, &err), &err);
        mk_forest_predict(&f, p, m, tree, moment, moment + m);
        for (size_t i = 0; i < m; i++) printf("%s%.17g %.17g", k + i ? " " : "", moment[i], moment[m + i]);
    }
    mk_forest_free(&f);
    void *all[] = {o, x, y, p, tree, moment};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* ---- searches ---- */

static struct mk_space *read_space(const char *path)
{
    struct mk_tree *tree = NULL;
    struct mk_space *s = NULL;
    struct mk_error err;
    if (strcmp(path, "-") == 0) return NULL;
    check(mk_tree_read(&tree, path, &err), &err);
    check(mk_space_read(&s, tree->root, &err), &err);
    mk_tree_free(tree);
    return s;
}

static struct mk_objective *read_objective(void)
{
    char text[WORD], path[WORD];
    struct mk_objective_files files = {0};
    struct mk_objective *o = NULL;
    struct mk_error err;
    int param;
    word(text);
    for (char *c = text; *c; c++) *c = *c == ',' ? ' ' : *c;
    check(objective_parse(text, read_space(word(path)), &files, &o, &param, &err), &err);
    mk_objective_files_free(&files);
    return o;
}

static void search(bool course)
{
    char room[WORD];
    const struct mk_optimizer_type *type = mk_optimizer_type_find(word(room));
    double par[MK_MAX_PARAMS], fidelity;
    if (!type) stop("no such optimiser");
    mk_param_defaults(type->params, par);
    for (size_t i = count(); i > 0; i--) {
        const int at = mk_param_find(type->params, word(room));
        if (at < 0) stop("no such parameter");
        par[at] = type->params[at].kind == MK_CHOICE ? choice(type->params[at].choices) : number();
    }
    struct mk_objective *objective = read_objective();
    const size_t T = count();
    const double above = course ? 0 : number();
    const size_t searches = count();
    struct mk_optimizer *o = NULL;
    struct mk_error err;
    struct mk_pcg64 noise;
    mk_pcg64_seed(&noise, 1, 1);
    check(mk_optimizer_new(&o, type, par, objective->space, T, &err), &err);
    for (size_t k = 0; k < searches; k++) {
        double best = -INFINITY;
        size_t exceed = 0;
        check(mk_optimizer_start(o, mk_key_word(mk_key_text(mk_key_start(), "answers"), k), &err), &err);
        for (size_t i = 0; i < T; i++) {
            const double *v;
            struct mk_evaluation e;
            check(mk_optimizer_ask(o, &v, &fidelity, &err), &err);
            mk_objective_evaluate(objective, v, fidelity, &noise, &e);
            mk_optimizer_tell(o, e.value, e.cost, e.status);
            best = fmax(best, e.value);
            exceed += e.value > above;
            if (course && (i + 1 == T / 8 || i + 1 == T / 4 || i + 1 == T / 2 || i + 1 == T)) printf("%.17g ", best);
        }
        if (!course) printf("%s%.17g %zu", k ? " " : "", best, exceed);
    }
    mk_optimizer_free(o);
    mk_objective_free(objective);
}

static void answer_search(void)
{
    search(false);
}

static void answer_course(void)
{
    search(true);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*answer)(void);
    } requests[] = {{"acquisition", answer_acquisition},
                    {"gp", answer_gp},
                    {"parzen", answer_parzen},
                    {"kde", answer_kde},
                    {"race", answer_race},
                    {"plan", answer_plan},
                    {"forest", answer_forest},
                    {"search", answer_search},
                    {"course", answer_course}};
    enum { KINDS = sizeof requests / sizeof *requests };
    char request[WORD];
    gsl_set_error_handler_off();
    while (scanf("%399s", request) == 1) {
        size_t k = 0;
        while (k < KINDS && strcmp(request, requests[k].name) != 0) k++;
        if (k == KINDS) stop(request);
        requests[k].answer();
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
