/* Drives one policy through select and update on a given table of rewards, with options written as "name=value …". */
#ifndef MAXK_TESTS_POLICY_DRIVE_H
#define MAXK_TESTS_POLICY_DRIVE_H

#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"

/* Fill par[] with the defaults and the options; 0 when an option is unknown or not allowed. */
static int drive_options(const struct mk_policy_type *type, const char *options, double *par)
{
    char text[256], *end = NULL;
    snprintf(text, sizeof text, "%s", options);
    mk_param_defaults(type->params, par);
    for (char *word = strtok_r(text, " ", &end); word; word = strtok_r(NULL, " ", &end)) {
        char *value = strchr(word, '=');
        if (!value) return 0;
        *value++ = '\0';
        int i = mk_param_find(type->params, word);
        if (i < 0) return 0;
        const struct mk_param *p = &type->params[i];
        par[i] = p->kind == MK_CHOICE ? mk_choice_find(p->choices, value) : strtod(value, NULL);
        if (p->kind == MK_CHOICE ? par[i] < 0 : !mk_param_allows(p, par[i])) return 0;
    }
    return !type->check || !type->check(par);
}

/* arms[t - 1] = arm of round t, for reward[arm * stride + pull]; 0 on failure. cost: [K] or NULL for 1 each. */
static int drive(const struct mk_policy_type *type, const char *options, size_t k, uint64_t horizon, struct mk_pcg64 *rng,
                 const double *cost, const double *reward, size_t stride, uint32_t *arms)
{
    double par[MK_MAX_PARAMS];
    struct mk_setup s = {.arms = k, .horizon = horizon, .par = par, .log = NULL, .log_len = 0, .rng = rng, .best_arm = k};
    double *unit = malloc(k * sizeof *unit);
    size_t *pulls = calloc(k, sizeof *pulls);
    void *state = NULL;
    int good = unit && pulls && drive_options(type, options, par);
    if (good) {
        for (size_t i = 0; i < k; i++) unit[i] = cost ? cost[i] : 1;
        s.cost = unit;
        state = aligned_alloc(64, (type->state_size(&s) + 63) / 64 * 64);
        good = state != NULL;
    }
    if (good) type->init(state, &s);
    for (uint64_t t = 1; good && t <= horizon; t++) {
        size_t arm = type->select(state, t);
        good = arm < k;
        if (!good) break;
        type->update(state, arm, reward[arm * stride + pulls[arm]++], t);
        arms[t - 1] = (uint32_t)arm;
    }
    free(state);
    free(pulls);
    free(unit);
    return good;
}

#endif
