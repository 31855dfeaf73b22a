"""Every option of the searches: against random search, and transforms of rewards against scikit-learn."""
import csv
import math

from jobs import Job
from lower import PROGRAM, Answers, effect
from rows import row

# Every choice of an option that is not its default.
OPTIONS = {
    "gp": ["kernel se", "acquisition ei", "acquisition pi", "acquisition ucb", "transform yeo_johnson", "transform box_cox",
           "warp yes"],
    "rf": ["splitter random", "log_cost no", "acquisition ei", "acquisition pi", "acquisition ucb", "variance sample"],
    "tpe": ["gamma sqrt", "gamma share", "multivariate no", "bandwidth scott", "normalise no", "repeat yes"],
    "cma_es": ["start random"],
    "evolution": [],
}
SKLEARN = "tests/reference/best_sklearn.csv"  # ten functions of numbers
BUDGET, ALARM = 40, 3.3  # evaluations; standard errors, of which one is exceeded with probability 5e-4


def options():
    """20 searches on each of ten functions; the mean over these of the probability that the best of 40 evaluations is better.
    It holds where that exceeds one half by 3.3 standard errors against random search, and where it is not below one half by
    more than that against the same transform in scikit-learn; and where on no function it is below by more than 4. A search no
    better than random passes with probability 5e-4. Where distributions are equal, a row of the latter kind fails with 8e-4."""
    rows, searches = [], 20
    with open(SKLEARN, newline="") as f:
        theirs = {(function, transform): [float(v) for v in values] for function, transform, *values in csv.reader(f)}
    functions = list(dict.fromkeys(function for function, _ in theirs))

    def compare(ours, others):
        found = [effect(ours[f], others[f]) for f in functions]
        mean = sum(a for a, _ in found) / len(found)
        error = math.sqrt(sum(se * se for _, se in found)) / len(found)
        least, where = min((a, f) for (a, _), f in zip(found, functions))
        return mean, error, f"{where}: {least:.2f}", all(a >= .5 - 4 * se for a, se in found)

    with Answers() as ask:
        def best_of(setting, n):
            return {f: ask("search", setting, f, "-", BUDGET, 0, n)[::2] for f in functions}

        chance = best_of(["random", 0], 400)
        for name, choices in OPTIONS.items():
            for choice in ["defaults", *choices]:
                ours = best_of([name, 0] if choice == "defaults" else [name, 1, *choice.split()], searches)
                against = [("random search (400 searches)", chance, ALARM)]
                transform = "none" if choice == "defaults" else choice.removeprefix("transform ")
                if name == "gp" and (functions[0], transform) in theirs:
                    against.append((f"scikit-learn ({SKLEARN})", {f: theirs[f, transform] for f in functions}, -ALARM))
                for source, others, margin in against:
                    mean, se, least, everywhere = compare(ours, others)
                    rows.append(row(claim="options", source=source, where=f"{name}, {choice}, {searches} searches on "
                                    f"{len(functions)} functions",
                                    quantity=f"probability that the best of {BUDGET} evaluations is better", relation=">=",
                                    expected=.5 + margin * se, observed=mean, ci_low=mean - 1.96 * se,
                                    ci_high=mean + 1.96 * se, note=f"least on {least}",
                                    verdict="holds" if mean >= .5 + margin * se and everywhere else "violated"))
    return rows, []


def jobs():
    return [Job("lower_options", "Options of searches", "own; scikit-learn 1.2",
                "Every choice of every option, against random search and, transforms of rewards, against scikit-learn. "
                + options.__doc__, options, [PROGRAM, SKLEARN, "tests/reference/best_sklearn.py"], reproduces=True)]
