/* Objectives from text: "name key=value …"; noise too. */
#ifndef MAXK_TESTS_SUPPORT_OBJECTIVES_H
#define MAXK_TESTS_SUPPORT_OBJECTIVES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/search/objectives/objective.h"

/* As mk_objective_new. */
static inline int objective_parse(const char *text, struct mk_space *space, struct mk_objective_files *files,
                                  struct mk_objective **out, int *param, struct mk_error *err)
{
    char copy[600], *save = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    char *word = strtok_r(copy, " ", &save);
    struct mk_objective_spec spec = {.type = mk_objective_type_find(word), .space = space};
    mk_param_defaults(spec.type->params, spec.par);
    while ((word = strtok_r(NULL, " ", &save))) {
        char *equals = strchr(word, '=');
        *equals = 0;
        if (strcmp(word, "noise") == 0) {
            spec.noise = atof(equals + 1);
            continue;
        }
        const int at = mk_param_find(spec.type->params, word);
        if (mk_param_is_number(&spec.type->params[at]))
            spec.par[at] = atof(equals + 1);
        else
            spec.text[at] = equals + 1;
    }
    return mk_objective_new(out, &spec, files, param, err);
}

#endif
