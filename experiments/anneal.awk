# Simulated annealing of a round trip: awk -v instance=40-1 -v seed=1 -v heat=1 -v cooling=0.999 -v move=reverse -f anneal.awk
# prints its length after 4000 steps. An instance is the number of cities and the seed of their places in the unit square.
function distance(a, b) { return sqrt((x[a] - x[b]) ^ 2 + (y[a] - y[b]) ^ 2) }
function at(i) { return tour[(i + n) % n] }
BEGIN {
    split(instance, of, "-")
    n = of[1]
    srand(7919 * of[2])
    for (i = 0; i < n; i++) { x[i] = rand(); y[i] = rand(); tour[i] = i }
    for (i = 0; i < n; i++) all += distance(at(i), at(i + 1))
    srand(seed % 1000003)
    heat /= sqrt(n)
    for (step = 0; step < 4000; step++) {
        i = int(rand() * n)
        j = (i + 1 + int(rand() * (n - 2))) % n
        if (i > j) { k = i; i = j; j = k }
        if (move == "reverse") # the cities i + 1 to j in the other direction
            more = distance(at(i), at(j)) + distance(at(i + 1), at(j + 1)) - distance(at(i), at(i + 1)) - distance(at(j), at(j + 1))
        else { # cities i and j change places
            before = distance(at(i - 1), at(i)) + distance(at(i), at(i + 1)) + distance(at(j - 1), at(j)) + distance(at(j), at(j + 1))
            k = tour[i]; tour[i] = tour[j]; tour[j] = k
            more = distance(at(i - 1), at(i)) + distance(at(i), at(i + 1)) + distance(at(j - 1), at(j)) + distance(at(j), at(j + 1)) - before
        }
        accepted = more <= 0 || rand() < exp(-more / heat)
        if (move == "reverse" && accepted)
            for (a = i + 1; a < j; a++) { k = tour[a]; tour[a] = tour[j]; tour[j] = k; j-- }
        if (move != "reverse" && !accepted) { k = tour[i]; tour[i] = tour[j]; tour[j] = k }
        if (accepted) all += more
        heat *= cooling
    }
    printf "%.6f\n", all
}
