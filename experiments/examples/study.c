/* A study in C: two algorithms and their hyperparameters by ask and tell.
 *
 * Build: gcc -o study experiments/examples/study.c $(pkg-config --cflags --libs maxk), after make install */
#include <math.h>
#include <maxk.h>
#include <stdio.h>
#include <string.h>

/* In the place of your evaluation. The configuration is a JSON object, such as {"C": 1.5}. */
static double value_of(const struct mk_study_trial *trial)
{
    double x = 0;
    if (strcmp(trial->arm_label, "svc") == 0)
        return sscanf(trial->configuration, "{\"C\": %lf", &x) == 1 ? 0.95 - fabs(x - 2) : 0;
    return sscanf(trial->configuration, "{\"k\": %lf", &x) == 1 ? 0.9 - 0.01 * fabs(x - 7) : 0;
}

int main(void)
{
    struct mk_study *s = NULL;
    struct mk_study_trial trial;
    struct mk_error err;
    size_t number;
    int code = mk_study_open(&s,
                              "name: cash\nmetric: {maximize: true}\npolicy: {name: max_ucb, alpha: 0.5}\nseed: 1\n"
                             "budget: {evaluations: 60}\nlag: 1\narms:\n"
                             "  - {label: svc, space: {C: {real: [0.001, 1000], log: true}}, optimizer: tpe}\n"
                             "  - {label: knn, space: {k: {integer: [1, 50]}}, optimizer: tpe}\n",
                             NULL, &err);
    while (!code && mk_study_results(s) < mk_study_budget(s)) {
        code = mk_study_ask(s, &number, &err);
        if (!code) code = mk_study_trial(s, number, &trial, &err);
        if (!code) code = mk_study_tell(s, number, value_of(&trial), NAN, &err);
    }
    if (!code) code = mk_study_trial(s, mk_study_best(s), &trial, &err);
    if (code)
        fprintf(stderr, "%s\n", err.text);
    else
        printf("%s %s %.3f\n", trial.arm_label, trial.configuration, trial.value);
    mk_study_free(s);
    return code != 0;
}
