"""Is E[N_1(T)] of MaxUCB monotone in the distribution of arm 1? Random games of three arms, exactly:
`monotone.py [SMALL [LONG [SEED]]]`.

Plays SMALL games (default 400) in which every arm has one or two rewards and T is at most 11, and LONG games (default 6000)
in which arms 1 and 2 have one reward, arm 3 has two and T is at most 40. The bonus is (alpha (log t)^power / n)^2, ties are
broken for arm 1. In each game a reward of arm 1, or the probability of its larger reward, is increased, and E[N_1(T)] before
and after it is computed from all sequences of rewards. Prints the number of pairs, in how many of them the mean rises, and
those in which it falls by more than rounding. First comes the game of the paper in which it falls, with a bonus that is
not that of MaxUCB: what finds nothing there would find nothing at all. Standard library only."""
import math
import random
import sys

ROUNDING = 1e-9


def pulled(top, pulls, t, bonus):
    """The arm of round t, the first one of those with the largest index."""
    index = [m + bonus(t, n) for m, n in zip(top, pulls)]
    return index.index(max(index))


def mean_pulls(arms, horizon, bonus):
    """E[N_1(T)] for arms [[(reward, probability), …], …], by the states of largest rewards and pulls."""
    states = {((), ()): 1.0}
    for arm in arms:
        states = {(top + (x,), pulls + (1,)): q * p for (top, pulls), q in states.items() for x, p in arm}
    for t in range(len(arms) + 1, horizon + 1):
        after = {}
        for (top, pulls), q in states.items():
            i = pulled(top, pulls, t, bonus)
            for x, p in arms[i]:
                state = top[:i] + (max(top[i], x),) + top[i + 1:], pulls[:i] + (pulls[i] + 1,) + pulls[i + 1:]
                after[state] = after.get(state, 0) + q * p
        states = after
    return sum(q * pulls[0] for (_, pulls), q in states.items())


def max_ucb(alpha, power):
    def bonus(t, n):
        return (alpha * math.log(t) ** power / n) ** 2
    return bonus


def two_rewards(rng):
    """One reward or two."""
    low, p = rng.random(), rng.random()
    return [(low, 1.0)] if rng.random() < .3 else [(low, 1 - p), (low + rng.random() * (1 - low), p)]


def increased(rng, arm):
    """The arm with a larger reward, each of them in turn, and with a larger probability of the last one."""
    for i, (x, p) in enumerate(arm):
        limit = arm[i + 1][0] if i + 1 < len(arm) else x + 1
        yield arm[:i] + [(x + rng.random() * (limit - x), p)] + arm[i + 1:]
    if len(arm) == 2:
        p = arm[1][1] + rng.random() * (1 - arm[1][1])
        yield [(arm[0][0], 1 - p), (arm[1][0], p)]


def small(rng):
    bonus = max_ucb(math.exp(rng.uniform(math.log(.05), math.log(3))), 1)
    return [two_rewards(rng) for _ in range(3)], rng.randint(5, 11), bonus


def long(rng):
    bonus = max_ucb(math.exp(rng.uniform(math.log(.02), math.log(3))), rng.choice((1, 1.5, 2)))
    low, p = rng.random(), rng.random()
    third = [(low, 1 - p), (low + rng.random() * (1.5 - low), p)]
    return [[(rng.random(), 1.0)], [(rng.random(), 1.0)], third], rng.randint(5, 40), bonus


def search(what, draw, games, seed):
    rng = random.Random(seed)
    pairs, rises, falls = 0, 0, 0
    for _ in range(games):
        arms, horizon, bonus = draw(rng)
        before = mean_pulls(arms, horizon, bonus)
        for arm in increased(rng, arms[0]):
            change = mean_pulls([arm, *arms[1:]], horizon, bonus) - before
            pairs, rises = pairs + 1, rises + (change > ROUNDING)
            if change < -ROUNDING:
                falls += 1
                print(f"E[N_1({horizon})] falls by {-change:g}: arms {arms}, arm 1 becomes {arm}")
    print(f"{what}: {games} games, {pairs} pairs, E[N_1(T)] rises in {rises}, falls in {falls}")


def main(small_games=400, long_games=6000, seed=1):
    steps = dict(zip(range(5, 10), (4, 40, 40, 100, 150)))
    example = [[(7.0, 1.0)], [(1.0, .5), (21.0, .5)]]
    first, second = (mean_pulls([[(x, 1.0)], *example], 9, lambda t, n: steps.get(t, 0) / n ** 2) for x in (2.0, 5.0))
    print(f"bonus c_t/n^2 of the paper's example: E[N_1(9)] = {first:g} with rewards 2, {second:g} with rewards 5")
    search("one or two rewards, T <= 11", small, small_games, seed)
    search("arm 3 random, T <= 40", long, long_games, seed + 1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
