/* A program that has nothing but the header of libmaxk-policy: every round of a small loop is checked. */
#include <policy.h>

#include <stdio.h>

int main(void)
{
    struct mk_policy *p = NULL;
    struct mk_error err = {0, ""};
    size_t arm = 0, pulls[2] = {0, 0};
    int code = mk_policy_new(&p, "{name: max_ucb, alpha: 0.1}", 2, NULL, &err);
    for (int t = 0; t < 200 && !code; t++) {
        code = mk_policy_select(p, &arm, &err);
        if (!code) code = mk_policy_update(p, arm, arm ? 0.9 : 0.5, &err);
        if (!code) pulls[arm]++;
    }
    if (code) fprintf(stderr, "%s\n", err.text);
    mk_policy_free(p);
    return code || pulls[0] + pulls[1] != 200 || pulls[1] < pulls[0];
}
