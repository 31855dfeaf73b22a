"""Learning curves of scikit-learn, and what ending trials early gains on them.

    python3 experiments/pruning_curves.py record FOLDER    writes FOLDER/pruning_curves.csv
    python3 experiments/pruning_curves.py compare FOLDER   reads that of experiments/data, and writes FOLDER/pruning_compare.csv

A curve has the validation error of a random configuration after each of 27 steps, and the processor time of a step. `compare`
plays searches on them in simulated time: a configuration is a row of the table, a step takes its time, and a search has so
many workers for the time in which these could make 30 whole evaluations of mean length. The rules and the optimisers are
those of maxk, which are asked and told in the order of the simulated events; a configuration that continues at a higher
fidelity pays for the steps that are new. The outcome is the regret: by how much the final error of the best whole evaluation
that has ended in time (before the first one the worst of the table) is above the smallest one of the table, in units of the
standard deviation of the final errors of the better half of the table.

Fixed before the first run of `compare`: the searches, 100 seeds, and the primary comparison, that of asha with `order:
finish` with successive halving for 8 workers, by the mean difference over the seeds and the tables, in pairs. All others are
secondary."""
import csv
import gzip
import heapq
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "sim", "python"))
STEPS, CONFIGURATIONS, SEEDS, BUDGET = 27, 240, 100, 30


# ---- curves ----

def half(X, y, seed=0):
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler
    a, b, ya, yb = train_test_split(X, y, test_size=0.5, random_state=seed)
    scale = StandardScaler().fit(a)
    return scale.transform(a), scale.transform(b), ya, yb


def linear(draw):
    """A linear classifier of digits by stochastic gradient descent, epoch by epoch."""
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.linear_model import SGDClassifier
    a, b, ya, yb = half(*load_digits(return_X_y=True))
    model = SGDClassifier(loss="log_loss", alpha=10 ** draw.uniform(-6, 0), eta0=10 ** draw.uniform(-5, 1), random_state=1,
                          penalty=draw.choice(["l1", "l2"]), learning_rate=draw.choice(["constant", "invscaling"]))
    for _ in range(STEPS):
        model.partial_fit(a, ya, classes=np.unique(ya))
        yield 1 - model.score(b, yb)


def network(draw):
    """A network of one hidden layer for digits, epoch by epoch."""
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier
    a, b, ya, yb = half(*load_digits(return_X_y=True))
    model = MLPClassifier((int(2 ** draw.uniform(2, 6)),), solver=draw.choice(["sgd", "adam"]), alpha=10 ** draw.uniform(-5, 1),
                          learning_rate_init=10 ** draw.uniform(-4, 0), batch_size=int(2 ** draw.uniform(4, 8)), random_state=1)
    for _ in range(STEPS):
        model.partial_fit(a, ya, classes=np.unique(ya))
        yield 1 - model.score(b, yb)


def boosting(draw):
    """Boosted trees for the diabetes data, three at a time; the error is that of the variance that is left."""
    import numpy as np
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import GradientBoostingRegressor
    a, b, ya, yb = half(*load_diabetes(return_X_y=True))
    model = GradientBoostingRegressor(n_estimators=3, learning_rate=10 ** draw.uniform(-2.5, 0), max_depth=draw.randint(1, 8),
                                      subsample=draw.uniform(0.3, 1), max_features=draw.uniform(0.2, 1), warm_start=True,
                                      min_samples_leaf=draw.randint(1, 20), random_state=1)
    for step in range(STEPS):
        model.set_params(n_estimators=3 * (step + 1)).fit(a, ya)
        yield float(np.mean((model.predict(b) - yb) ** 2) / np.var(yb))


def record(folder):
    import warnings
    warnings.simplefilter("ignore")
    with open(os.path.join(folder, "pruning_curves.csv"), "w", newline="") as to:
        out = csv.writer(to, lineterminator="\n")
        out.writerow(["table", "configuration", "seconds", *(f"error_{i + 1}" for i in range(STEPS))])
        for learner in (linear, boosting, network):
            for i in range(CONFIGURATIONS):
                start = time.process_time()
                errors = list(learner(random.Random(f"{learner.__name__} {i}")))
                seconds = (time.process_time() - start) / STEPS
                out.writerow([learner.__name__, i, f"{seconds:.3g}", *(f"{min(e, 99):.4g}" for e in errors)])
                to.flush()


# ---- searches on them ----

SEARCHES = {"random": {}, "successive_halving": {"optimizer": {"name": "successive_halving", "R": STEPS}},
            "hyperband": {"optimizer": {"name": "hyperband", "R": STEPS}},
            "asha": {"pruning": {"rule": "asha", "max_step": STEPS}, "order": "finish"},
            "asha, order issue": {"pruning": {"rule": "asha", "max_step": STEPS}},
            "median": {"pruning": {"rule": "median", "max_step": STEPS}, "order": "finish"},
            "median, order issue": {"pruning": {"rule": "median", "max_step": STEPS}}}


class Search:
    """Workers that evaluate rows of a table, in simulated time."""

    def __init__(self, rows, options, workers, seed):
        from maxk import Integer, Study
        self.rows, self.events, self.ended = rows, [], {}
        self.made = {}  # steps that a configuration has made, by the folder of its trials
        self.workers, self.running = workers, 0
        space = {"a": {"row": Integer(0, len(rows) - 1)}}
        self.study = Study(space, policy="uniform", direction="minimize", lag=workers, seed=seed,
                           **{"optimizer": "random", **options})

    def begin(self, now):
        from maxk import InputError
        while self.running < self.workers:
            try:
                trial = self.study.ask()
            except InputError:  # not before results of others
                return
            seconds, errors = self.rows[trial.params["row"]]
            chain = trial._folder
            first, last = self.made.get(chain, 0), round(trial.fidelity * STEPS)
            self.made[chain] = last
            self.running += 1
            heapq.heappush(self.events, (now + seconds, trial.number, first + 1, last, trial))

    def run(self, end):
        """The smallest final error of a whole evaluation that has ended by then; None: there is none."""
        best = None
        self.begin(0.0)
        while self.events and self.events[0][0] <= end:
            now, number, step, last, trial = heapq.heappop(self.events)
            seconds, errors = self.rows[trial.params["row"]]
            trial.report(errors[step - 1], step)
            if step < last and not trial.should_stop():
                heapq.heappush(self.events, (now + seconds, number, step + 1, last, trial))
                continue
            self.running -= 1
            self.study.tell(trial, errors[step - 1])
            if step == STEPS and not trial.should_stop():
                best = errors[-1] if best is None else min(best, errors[-1])
            self.begin(now)
        return best


def read(path):
    tables = {}
    with gzip.open(path, "rt") as found:
        for row in csv.DictReader(found):
            errors = [float(row[f"error_{i + 1}"]) for i in range(STEPS)]
            tables.setdefault(row["table"], []).append((float(row["seconds"]), errors))
    return tables


def compare(folder):
    import statistics
    with open(os.path.join(folder, "pruning_compare.csv"), "w", newline="") as to:
        out = csv.writer(to, lineterminator="\n")
        out.writerow(["table", "search", "workers", "seed", "regret", "evaluated"])
        for table, rows in read(os.path.join(HERE, "data", "pruning_curves.csv.gz")).items():
            final = sorted(errors[-1] for _, errors in rows)
            unit, whole = statistics.stdev(final[:len(final) // 2]), STEPS * statistics.mean(seconds for seconds, _ in rows)
            for workers in (1, 2, 8):
                for name, options in SEARCHES.items():
                    for seed in range(SEEDS):
                        search = Search(rows, options, workers, seed)
                        best = search.run(BUDGET * whole / workers)
                        regret = ((final[-1] if best is None else best) - final[0]) / unit
                        out.writerow([table, name, workers, seed, f"{regret:.5g}", len(search.study)])
                to.flush()


if __name__ == "__main__":
    {"record": record, "compare": compare}[sys.argv[1]](sys.argv[2])
