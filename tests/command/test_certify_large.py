"""maxk certify at horizons from 10^8 to 2^53: every certified column against answers in closed form, in 60 digits."""
import csv, io, os, subprocess, sys, tempfile

try:
    from mpmath import mp, mpf
except ImportError:
    print("skip python3-mpmath is not installed")
    sys.exit(0)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from lib import ordinary_build_only

ordinary_build_only("numbers; the tests of tests/unit/theory run the same code")
maxk = os.path.abspath(os.environ.get("MAXK", "build/maxk"))
os.environ["OMP_NUM_THREADS"] = "1"
mp.dps = 60
HORIZONS = [10**8, 10**12, 2**53]
LEVELS = {"q50": mpf(".5"), "q90": mpf(".9"), "q99": mpf(".99")}
GREEDY, SMALL_BONUS = "{name: greedy}", "{name: max_ucb, alpha: 0.004}"  # a bonus of at most 0.022 at T = 2^53
bad = 0


def check(condition, text):
    global bad
    bad += not condition
    print("ok" if condition else "not ok", text)


def certify(arms, policy):
    with open("large.yaml", "w") as f:
        f.write("problem:\n  arms:\n" + "".join(f"    - {a}\n" for a in arms) + f"policies:\n  - {policy}\nhorizons: [" +
                ", ".join(map(str, HORIZONS)) + "]\n")
    done = subprocess.run([maxk, "certify", "large.yaml", "--csv"], capture_output=True, text=True)
    check(done.returncode == 0, f"{policy} exits with 0 {done.stderr.strip()[:200]}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def check_rows(name, rows, horizon, outcomes, best):
    """outcomes: [(probability, pulls of all arms, mean of the largest reward)]; best: the largest E[M_k(T)]."""
    rows = [r for r in rows if int(r["horizon"]) == horizon]
    check(len(rows) == len(outcomes[0][1]), f"{name}, T = {horizon}: a row for every arm")
    largest = sum(p * v for p, _, v in outcomes)
    for k, r in enumerate(rows):
        place = f"{name}, T = {horizon}, arm {k}: "
        mean = sum(p * n[k] for p, n, _ in outcomes)
        for low, exact, high in (("lower", mean, "upper"), ("max_lower", largest, "max_upper"),
                                 ("regret_lower", best - largest, "regret_upper")):
            check(mpf(r[low]) <= exact <= mpf(r[high]),
                  f"{place}{low} {r[low]} <= {mp.nstr(exact, 20)} <= {high} {r[high]}")
        check(mpf(r["regret_upper"]) <= best - largest + mpf("1e-6"), f"{place}regret_upper {r['regret_upper']} is close")
        check(mpf(r["max_lower"]) >= largest - mpf("1e-6"), f"{place}max_lower {r['max_lower']} is close")
        check(mpf(r["lock_out"]) >= sum(p for p, n, _ in outcomes if 2 * n[k] > horizon), f"{place}lock_out {r['lock_out']}")
        for column, level in LEVELS.items():
            exact = min(n[k] for _, n, _ in outcomes if sum(p for p, m, _ in outcomes if m[k] <= n[k]) >= level)
            check(int(r[column]) >= exact, f"{place}{column} {r[column]} >= {exact}")


def test_constants():
    """The best constant has all pulls that are free; both arms of a tie are as good."""
    for policy in (GREEDY, SMALL_BONUS):
        rows = certify(["{family: dirac, x: 0.3}", "{family: dirac, x: -0.2}", "{family: dirac, x: 0.7}"], policy)
        for horizon in HORIZONS:
            check_rows(f"constants, {policy}", rows, horizon, [(1, (1, 1, horizon - 2), mpf(0.7))], mpf(0.7))


def test_bernoulli():
    """The first reward of the Bernoulli arm decides, after a burn-in the first one that counts: after a 1 that arm has all
    pulls that are free, else the best constant has them."""
    cases = [(0.3, [0.5], GREEDY, 0), (0.3, [0.5, 0.4], GREEDY, 0), (0.3, [0.5, 0.4], SMALL_BONUS, 0),
             (0.001, [0.25, -3], GREEDY, 0), (1e-9, [0.04], GREEDY, 0), (0.97, [0.9, 0.2, 0.1], SMALL_BONUS, 0),
             (1e-4, [0.5, 0.25], "{name: max_ucb_burn_in, alpha: 0.004, burn_in: 3001}", 3001)]
    for share, constants, policy, burnt in cases:
        p, constant, single = mpf(share), max(constants), burnt + 1
        rows = certify([f"{{family: bernoulli, p: {share}}}"] + [f"{{family: dirac, x: {c}}}" for c in constants], policy)
        for horizon in HORIZONS:
            free, early = horizon - single * len(constants), 1 - (1 - p)**burnt
            won = (free,) + (single,) * len(constants)
            lost = (single,) + tuple(free if c == constant else single for c in constants)
            check_rows(f"p = {share}, {constants}, {policy}", rows, horizon,
                       [(p, won, mpf(1)), (1 - p, lost, early + (1 - early) * constant)],
                       max(1 - (1 - p)**horizon, mpf(constant)))


def test_uniform():
    """The uniform arm on [0, 1] has all free pulls if its first reward is above the constant c, and the largest of n rewards
    the distribution function (x - c) x^(n - 1) / (1 - c) then."""
    for c in (0.5, 0.875):
        rows = certify([f"{{family: dirac, x: {c}}}", "{family: uniform, lo: 0, hi: 1}"], GREEDY)
        for horizon in HORIZONS:
            n, c = horizon - 1, mpf(c)
            below = (1 - c**(n + 1)) / (n + 1) - c * (1 - c**n) / n
            check_rows(f"uniform against {c}", rows, horizon,
                       [(1 - c, (1, n), 1 - below / (1 - c)), (c, (n, 1), c)], mpf(horizon) / (horizon + 1))


def test_equal_arms():
    """Equal arms have equal bounds, computed once: 60 of them take about a second, and took minutes one by one."""
    with open("equal.yaml", "w") as f:
        f.write("problem:\n  arms:\n" + "    - {family: uniform, lo: 0, hi: 1}\n" * 60 +
                "policies:\n  - {name: max_ucb}\nhorizons: [2000]\n")
    try:
        done = subprocess.run([maxk, "certify", "equal.yaml", "--csv", "--refinement", "0.2"], capture_output=True, text=True,
                              timeout=60)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
    except subprocess.TimeoutExpired:
        rows = []
    check(len(rows) == 60 and len({(r["lower"], r["upper"]) for r in rows}) == 1, "60 equal arms have the same band")
    check(all(float(r["lower"]) <= 2000 / 60 <= float(r["upper"]) for r in rows), "and it holds T / 60")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, test in sorted(globals().copy().items()):
        if name.startswith("test_"):
            test()
    os.chdir("/")
sys.exit(bad > 0)
