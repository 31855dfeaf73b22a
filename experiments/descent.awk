# Stochastic gradient descent on 200 points of a plane with noise: prints the epoch and the mean squared error on 200 others after
# each of 27 epochs. Variables: seed, rate, momentum, batch.
function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
function sample(k, i) {
    y[k] = 0.2 * gauss()
    for (i = 1; i <= 8; i++) { x[k, i] = gauss() / i; y[k] += x[k, i] * (i % 3 - 1) }
}
function error(i, k, e, sum) {
    for (k = 201; k <= 400; k++) {
        e = -y[k]
        for (i = 1; i <= 8; i++) e += w[i] * x[k, i]
        sum += e * e
    }
    return sum / 200
}
BEGIN {
    srand(1) # the points are the same for all seeds
    for (k = 1; k <= 400; k++) sample(k)
    srand(seed % 1000003)
    for (epoch = 1; epoch <= 27; epoch++) {
        for (first = 1; first <= 200; first += batch) {
            for (i = 1; i <= 8; i++) g[i] = 0
            for (b = 0; b < batch; b++) {
                k = 1 + int(200 * rand())
                e = -y[k]
                for (i = 1; i <= 8; i++) e += w[i] * x[k, i]
                for (i = 1; i <= 8; i++) g[i] += e * x[k, i] / batch
            }
            for (i = 1; i <= 8; i++) { v[i] = momentum * v[i] - rate * g[i]; w[i] += v[i] }
        }
        e = error()
        if (!(e < 1e6)) { print "diverges in epoch " epoch >"/dev/stderr"; exit 1 }
        print epoch, e
        fflush()
    }
}
