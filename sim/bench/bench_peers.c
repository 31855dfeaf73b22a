/* What the same steps of a search take in Optuna and scikit-learn, where Debian's packages are installed, in processes
 * of their own with one thread each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.h"

#include "sim/bench/bench.h"

/* Prints name, version and seconds of processor time (the median) of every step; with one round without the last, which
 * takes seconds. */
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

static void run_script(int out, size_t n, size_t d, int rounds)
{
    char number[3][32];
    snprintf(number[0], sizeof number[0], "%zu", n);
    snprintf(number[1], sizeof number[1], "%zu", d);
    snprintf(number[2], sizeof number[2], "%d", rounds);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (dup2(out, STDOUT_FILENO) < 0 || !freopen("/dev/null", "w", stderr)) _exit(1);
    execl("/usr/bin/python3", "python3", "-c", script, number[0], number[1], number[2], (char *)NULL);
    _exit(1);
}

int mk_bench_peers(struct mk_bench_peers *p, size_t n, size_t d, int rounds, struct mk_error *err)
{
    int end[2], status;
    char line[256];
    p->n = 0;
    fflush(NULL);
    if (pipe(end)) return mk_fail(err, MK_EFAIL, "a pipe to measure other programs failed");
    const pid_t child = fork();
    if (child == 0) run_script(end[1], n, d, rounds);
    close(end[1]);
    FILE *in = child > 0 ? fdopen(end[0], "r") : NULL;
    if (!in) {
        close(end[0]);
        return mk_fail(err, MK_EFAIL, "a process to measure other programs failed");
    }
    while (p->n < MK_BENCH_MOST_PEERS && fgets(line, sizeof line, in)) {
        struct mk_bench_peer *to = &p->peer[p->n];
        p->n += sscanf(line, "%31s %31s %lf", to->step, to->version, &to->seconds) == 3;
    }
    fclose(in);
    waitpid(child, &status, 0);
    return MK_OK;
}

const struct mk_bench_peer *mk_bench_find_peer(const struct mk_bench_peers *p, const char *step)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->peer[i].step, step) == 0) return &p->peer[i];
    return NULL;
}
