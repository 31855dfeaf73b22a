/* The lower level: what one proposal of every optimiser takes, and the same in Optuna and scikit-learn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/program/bench/bench.h"
#include "sim/search/models/gaussian_process.h"
#include "sim/search/objectives/parts/closed_form.h"
#include "sim/search/optimizers/optimizer.h"

enum { TRIALS = 1000, DIMENSIONS = 10, MOST_PEERS = 8 };

/* ---- a search with known trials ---- */

static double reward_of(const double *v)
{
    double sum = 0;
    for (int i = 0; i < DIMENSIONS; i++) sum -= (v[i] - 0.3) * (v[i] - 0.3);
    return sum;
}

struct search {
    double par[MK_MAX_PARAMS];
    struct mk_optimizer *optimizer;
};

/* Settings: up to two parameters that differ from their defaults. */
struct setting {
    const char *name;
    double value;
};

/* `trials` random configurations have been reported. */
static int start_search(struct search *s, const char *name, const struct setting set[2], const struct mk_space *space,
                        size_t trials, size_t budget, struct mk_error *err)
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    struct mk_pcg64 rng;
    s->optimizer = NULL;
    mk_param_defaults(type->params, s->par);
    for (int i = 0; i < 2 && set[i].name; i++) s->par[mk_param_find(type->params, set[i].name)] = set[i].value;
    int code = mk_optimizer_new(&s->optimizer, type, s->par, space, budget, err);
    if (!code) code = mk_optimizer_start(s->optimizer, mk_key_text(mk_key_start(), "bench"), err);
    if (!code) code = mk_trials_reserve(&s->optimizer->trials, budget, err);
    mk_pcg64_seed(&rng, 1, 1);
    for (size_t i = 0; i < trials && !code; i++) {
        double *v = s->optimizer->trials.v + i * space->n;
        mk_space_sample(space, &rng, v);
        mk_trials_ask(&s->optimizer->trials, 1);
        mk_optimizer_tell(s->optimizer, reward_of(v), 1, MK_TRIAL_OK);
    }
    return code;
}

/* Processor seconds of `count` proposals and their results. */
static int time_asks(struct search *s, size_t count, double *seconds, struct mk_error *err)
{
    const double *v, start = mk_cpu_seconds();
    double fidelity;
    int code = MK_OK;
    for (size_t i = 0; i < count && !code; i++) {
        code = mk_optimizer_ask(s->optimizer, &v, &fidelity, err);
        if (!code) mk_optimizer_tell(s->optimizer, reward_of(v), 1, MK_TRIAL_OK);
    }
    *seconds = mk_cpu_seconds() - start;
    return code;
}

/* ---- the same in other programs ----
 *
 * What the same steps of a search take in Optuna and scikit-learn, where Debian's packages are installed, in processes
 * of their own with one thread each. */

struct peer {
    char step[32]; /* tpe, tpe-multivariate (ask and tell), forest (fit, 10^4 predictions), gp (likelihood) */
    char version[32];
    double seconds;
};

struct peers {
    size_t n;
    struct peer peer[MOST_PEERS];
};

/* Prints name, version and seconds of processor time (the median) of every step; with one round without the last, which
 * takes seconds. A shell gets it between double quotes, of which it has none. */
static const char script[] =
    "import sys, time, warnings\n"
    "warnings.simplefilter('ignore')\n"
    "import numpy as np\n"
    "n, d, rounds = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])\n"
    "rng = np.random.RandomState(1)\n"
    "x, names = rng.rand(n, d), ['x%d' % i for i in range(d)]\n"
    "y = -((x - .3) ** 2).sum(1)\n"
    "def step(name, version, work):\n"
    "    times = []\n"
    "    for _ in range(rounds):\n"
    "        start = time.process_time()\n"
    "        work()\n"
    "        times.append(time.process_time() - start)\n"
    "    print(name, version, sorted(times)[rounds // 2], flush=True)\n"
    "try:\n"
    "    import optuna\n"
    "    optuna.logging.set_verbosity(optuna.logging.ERROR)\n"
    "    space = {a: optuna.distributions.FloatDistribution(0, 1) for a in names}\n"
    "    told = [optuna.trial.create_trial(params=dict(zip(names, map(float, u))), distributions=space, "
    "value=float(v))\n"
    "            for u, v in zip(x, y)]\n"
    "    for multivariate in False, True:\n"
    "        sampler = optuna.samplers.TPESampler(seed=1, multivariate=multivariate)\n"
    "        study = optuna.create_study(direction='maximize', sampler=sampler)\n"
    "        study.add_trials(told)\n"
    "        def ask():\n"
    "            trial = study.ask()\n"
    "            u = [trial.suggest_float(a, 0, 1) for a in names]\n"
    "            study.tell(trial, -sum((v - .3) ** 2 for v in u))\n"
    "        step('tpe-multivariate' if multivariate else 'tpe', optuna.__version__, ask)\n"
    "except ImportError:\n"
    "    pass\n"
    "try:\n"
    "    import sklearn\n"
    "    from sklearn.ensemble import RandomForestRegressor\n"
    "    from sklearn.gaussian_process import GaussianProcessRegressor, kernels\n"
    "    more = rng.rand(10000, d)\n"
    "    step('forest', sklearn.__version__, lambda: RandomForestRegressor(10, n_jobs=1).fit(x, y).predict(more))\n"
    "    if rounds == 1:\n"
    "        sys.exit()\n"
    "    kernel = kernels.ConstantKernel() * kernels.Matern(np.ones(d), nu=2.5) + kernels.WhiteKernel(.01)\n"
    "    gp = GaussianProcessRegressor(kernel, optimizer=None).fit(x, y)\n"
    "    rounds = 1\n"
    "    step('gp', sklearn.__version__, lambda: gp.log_marginal_likelihood(kernel.theta, eval_gradient=True))\n"
    "except ImportError:\n"
    "    pass\n";

/* Times Optuna and scikit-learn, none of them where they are not installed; with one round without gp. */
static int time_peers(struct peers *p, int rounds, struct mk_error *err)
{
    char *command = NULL, line[256];
    if (asprintf(&command, "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 -c \"%s\" %d %d %d 2>/dev/null",
                 script, TRIALS, DIMENSIONS, rounds) < 0)
        return mk_fail_memory(err, "the benchmark");
    fflush(NULL);
    FILE *in = popen(command, "r"); /* NOLINT(cert-env33-c): the command is the text above and three numbers */
    free(command);
    if (!in) return mk_fail(err, MK_EFAIL, "a process to measure other programs failed");
    p->n = 0;
    while (p->n < MOST_PEERS && fgets(line, sizeof line, in)) {
        struct peer *to = &p->peer[p->n];
        p->n += sscanf(line, "%31s %31s %lf", to->step, to->version, &to->seconds) == 3;
    }
    pclose(in);
    return MK_OK;
}

static const struct peer *find_peer(const struct peers *p, const char *step)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->peer[i].step, step) == 0) return &p->peer[i];
    return NULL;
}

/* ---- rows ---- */

static void print_most(struct mk_bench *b, const char *item, double seconds, double most)
{
    const bool micro = most < 1e-4;
    const double scale = micro ? 1e6 : 1e3;
    mk_bench_print_value(b, item, scale * seconds, micro ? "us" : "ms", scale * most);
}

/* How many times as long another program takes; least: the target, 0 if there is none. */
static void print_peer(struct mk_bench *b, const struct peers *peers, const char *step, const char *program,
                       const char *what, double seconds, double least)
{
    const struct peer *peer = find_peer(peers, step);
    char item[MK_BENCH_ITEM], target[32];
    if (!peer)
        snprintf(item, sizeof item, "  %s: not installed", program);
    else
        snprintf(item, sizeof item, "  %s %s, %s: %.3g ms", program, peer->version, what, 1e3 * peer->seconds);
    struct mk_bench_row row = mk_bench_row(item, peer ? peer->seconds / seconds : NAN, "times");
    if (peer && least > 0) {
        snprintf(target, sizeof target, ">= %g times", least);
        row.target = target;
        row.met = row.value >= least;
    }
    mk_bench_print(b, &row);
}

/* ---- measurements ---- */

struct job {
    const char *item, *optimizer;
    struct setting set[2];
    size_t asks;                       /* of one measurement */
    double most;                       /* seconds; INFINITY: no target */
    const char *step, *program, *what; /* the other program, and what it is timed at */
    double least;
    bool from_start; /* no trials before those that are timed: the optimiser has a plan of its own */
};

static int measure(struct mk_bench *b, const struct job *j, const struct mk_space *space, const struct peers *peers,
                   struct mk_error *err)
{
    const size_t rounds = b->rounds;
    double seconds[MK_BENCH_ROUNDS];
    struct search s;
    const size_t told = j->from_start ? 0 : TRIALS;
    int code = start_search(&s, j->optimizer, j->set, space, told, told + (rounds + 1) * j->asks, err);
    if (!code) code = time_asks(&s, j->asks, &seconds[0], err); /* memory and caches; the fit of the Gaussian process */
    for (size_t i = 0; i < rounds && !code; i++) code = time_asks(&s, j->asks, &seconds[i], err);
    mk_optimizer_free(s.optimizer);
    if (code) return code;
    const double median = mk_bench_median(seconds, rounds) / (double)j->asks;
    print_most(b, j->item, median, j->most);
    if (j->step) print_peer(b, peers, j->step, j->program, j->what, median, j->least);
    return MK_OK;
}

/* The proposal for which the Gaussian process is fitted and its whole covariance factorised. */
static int measure_refit(struct mk_bench *b, const struct mk_space *space, struct mk_error *err)
{
    static const struct {
        const char *item;
        struct setting set[2];
        double most;
    } jobs[] = {
        {"gp, refit on 200 of 1000 trials (default)", {{"init", 0}}, 0.7},
        {"gp, refit on all 1000 trials", {{"init", 0}, {"fit_points", TRIALS}}, INFINITY},
    };
    for (size_t k = 0; k < (b->quick ? 1 : 2); k++) {
        struct search s;
        double seconds = NAN;
        int code = start_search(&s, "gp", jobs[k].set, space, TRIALS, TRIALS + 1, err);
        if (!code) code = time_asks(&s, 1, &seconds, err);
        mk_optimizer_free(s.optimizer);
        if (code) return code;
        print_most(b, jobs[k].item, seconds, jobs[k].most);
    }
    return MK_OK;
}

/* One likelihood with its gradient at n = 1000. */
static int measure_likelihood(struct mk_bench *b, const struct peers *peers, struct mk_error *err)
{
    bool nominal[DIMENSIONS] = {false};
    size_t weight_of[DIMENSIONS];
    double theta[DIMENSIONS + 2], gradient[DIMENSIONS + 2];
    for (size_t i = 0; i < DIMENSIONS; i++) weight_of[i] = i;
    struct mk_gp g = {MK_GP_MATERN, DIMENSIONS, nominal, weight_of, DIMENSIONS};
    struct mk_gp_work work = {0};
    struct mk_pcg64 rng;
    double *x = malloc(TRIALS * (DIMENSIONS + 1) * sizeof *x);
    int code = x ? mk_gp_reserve(&work, TRIALS, err) : mk_fail_memory(err, "the benchmark");
    if (!code) {
        double *y = x + TRIALS * DIMENSIONS;
        mk_pcg64_seed(&rng, 1, 1);
        for (size_t i = 0; i < TRIALS * (DIMENSIONS + 1); i++) x[i] = mk_uniform(&rng);
        mk_gp_default(&g, theta);
        const double start = mk_cpu_seconds();
        mk_gp_log_likelihood(&g, theta, x, TRIALS, y, TRIALS, gradient, &work);
        const double seconds = mk_cpu_seconds() - start;
        print_most(b, "gp, one likelihood with gradient, 1000 trials", seconds, INFINITY);
        if (!b->quick) print_peer(b, peers, "gp", "scikit-learn", "the same", seconds, 0);
    }
    free(x);
    mk_gp_work_free(&work);
    return code;
}

static bool is_among(const struct job *jobs, size_t n, const char *optimizer)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(jobs[i].optimizer, optimizer) == 0) return true;
    return false;
}

/* The jobs of the table, then every optimiser that it does not name, from the start of a search. */
int mk_bench_lower(struct mk_bench *b, struct mk_error *err)
{
    static const struct job jobs[] = {
        {.item = "random", .optimizer = "random", .asks = 20000, .most = 2e-6},
        {.item = "grid", .optimizer = "grid", .asks = 20000, .most = 2e-6},
        {"tpe",
         "tpe",
         {{"init", 0}},
         .asks = 10,
         .most = INFINITY,
         .step = "tpe",
         .program = "Optuna",
         .what = "the same",
         .least = 50},
        {"tpe, multivariate",
         "tpe",
         {{"init", 0}, {"multivariate", 1}},
         .asks = 10,
         .most = INFINITY,
         .step = "tpe-multivariate",
         .program = "Optuna",
         .what = "the same"},
        {"rf, 10^4 challengers",
         "rf",
         {{"init", 0}, {"interleave", 0}},
         .asks = 3,
         .most = 0.04,
         .step = "forest",
         .program = "scikit-learn",
         .what = "fit and predict alone"},
        {"gp, between refits", "gp", {{"init", 0}}, .asks = 3, .most = 0.06},
    };
    struct peers peers;
    struct mk_space *space = NULL;
    int code = mk_box_space(DIMENSIONS, 0, 1, NAN, &space, err);
    if (!code) code = time_peers(&peers, b->quick ? 1 : 5, err);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs && !code; i++) code = measure(b, &jobs[i], space, &peers, err);
    for (size_t i = 0; mk_optimizer_type_at(i) && !code; i++) {
        const char *name = mk_optimizer_type_at(i)->name;
        const struct job rest = {.item = name, .optimizer = name, .asks = 200, .most = INFINITY, .from_start = true};
        if (!is_among(jobs, sizeof jobs / sizeof *jobs, name)) code = measure(b, &rest, space, &peers, err);
    }
    if (!code) code = measure_refit(b, space, err);
    if (!code) code = measure_likelihood(b, &peers, err);
    mk_space_free(space);
    return code;
}
