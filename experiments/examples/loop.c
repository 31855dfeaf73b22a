/* A loop of your own in C in which a policy says which arm is pulled next.
 *
 * Build: gcc -o loop experiments/examples/loop.c $(pkg-config --cflags --libs maxk), after make install */
#include <maxk.h>
#include <stdio.h>

/* In the place of training a model: rewards up to 1 and up to 0.9, from a generator of Park and Miller. */
static double reward_of(size_t arm)
{
    static uint64_t state = 1;
    state = state * 48271 % 2147483647;
    const double u = (double)state / 2147483647;
    return arm ? 0.9 * u : u * u;
}

int main(void)
{
    struct mk_policy *p = NULL;
    struct mk_error err;
    double best = 0;
    int pulls[2] = {0, 0};
    int code = mk_policy_new(&p, "{name: max_ucb, alpha: 0.5}", 2, NULL, &err);
    for (int t = 0; t < 1000 && !code; t++) {
        size_t arm;
        code = mk_policy_select(p, &arm, &err);
        if (code) break;
        const double reward = reward_of(arm);
        if (reward > best) best = reward;
        pulls[arm]++;
        code = mk_policy_update(p, arm, reward, &err);
    }
    if (code)
        fprintf(stderr, "%s\n", err.text);
    else
        printf("best %.4f, pulls %d and %d\n", best, pulls[0], pulls[1]);
    mk_policy_free(p);
    return code != 0;
}
