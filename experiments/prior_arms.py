"""Recorded runs of arms drawn from the flat, semi-flat or curved prior of Balef & Eggensperger 2025 (arXiv 2508.13657;
the generators of synth_paper.py of their repository CASHPlus, from their definition): 300 problems with 5 arms, 200
rewards each, as a CSV file on standard output.

    /usr/bin/python3 experiments/prior_arms.py semi_flat >semi_flat.csv

The n-th reward of an arm is A C_n: A skew-normal in [0, 1], C_1 … C_200 skew-normal numbers in [0, 1] of location 1 in
ascending order; shapes U(-100, -20), location U(0, 1), scale of A U(0, s), of C U(q (1 - location), q)."""
import sys
import numpy as np

SCALES = {"flat": (.1, .001), "semi_flat": (.2, .01), "curved": (.2, .1)}
PROBLEMS, ARMS, PULLS = 300, 5, 200


def skew_normal(rng, shape, location, scale, n):
    """n numbers in [0, 1], by rejection: delta |Z| + sqrt(1 - delta^2) Z' is skew-normal."""
    delta, out = shape / np.hypot(1, shape), np.empty(0)
    while out.size < n:
        x = location + scale * (delta * np.abs(rng.normal(size=4 * n)) + np.sqrt(1 - delta**2) * rng.normal(size=4 * n))
        out = np.append(out, x[(x >= 0) & (x <= 1)])
    return out[:n]


def arm(rng, s, q, n=PULLS):
    location = rng.uniform()
    rewards = skew_normal(rng, rng.uniform(-100, -20), location, rng.uniform(0, s), n)
    return rewards * np.sort(skew_normal(rng, rng.uniform(-100, -20), 1, rng.uniform(q * (1 - location), q), n))


def main():
    rng = np.random.default_rng(2025)
    print("instance,arm,repetition,iteration,reward")
    for problem in range(PROBLEMS):
        for k in range(ARMS):
            for n, reward in enumerate(arm(rng, *SCALES[sys.argv[1]]).tolist()):
                print(f"{problem},{k},0,{n},{reward!r}")


if __name__ == "__main__":
    main()
