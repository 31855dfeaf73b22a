#include "sim/study/tune.h"

#include <stdlib.h>

#include "sim/base/text.h"

static void free_command(struct mk_command_words *c)
{
    mk_free_texts(c->word, c->n);
    mk_free_texts(c->arg, c->n_args);
}

void mk_tune_free(struct mk_tune *t)
{
    if (!t) return;
    for (size_t k = 0; k < t->n_arms; k++) {
        free(t->arm[k].label);
        mk_space_free(t->arm[k].space);
        free_command(&t->arm[k].own);
    }
    free(t->arm);
    free_command(&t->command);
    free_command(&t->worker);
    free(t->metric.pattern);
    free(t->metric.file);
    free(t->file);
    free(t->name);
    free(t->instance);
    free(t->title);
    free(t->source);
    free(t->here);
    free(t->policy);
    free(t->combined_label);
    mk_space_free(t->joint);
    free(t->first);
    free(t->resolved);
    free(t);
}
