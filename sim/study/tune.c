#include "sim/study/tune.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

static void free_command(struct mk_command_words *c)
{
    mk_free_texts(c->word, c->n);
    mk_free_texts(c->arg, c->n_args);
}

static void free_metric(struct mk_metric *m)
{
    free(m->pattern);
    free(m->file);
}

void mk_tune_free(struct mk_tune *t)
{
    if (!t) return;
    for (size_t k = 0; k < t->n_arms; k++) {
        free(t->arm[k].label);
        mk_space_free(t->arm[k].space);
        free_command(&t->arm[k].own);
    }
    mk_prior_arms_free(t->prior, t->n_arms);
    free(t->arm);
    free_command(&t->command);
    free_command(&t->worker);
    mk_free_texts(t->launcher, t->n_launcher);
    free_metric(&t->metric);
    for (size_t i = 0; i < t->n_metrics; i++) {
        free(t->further[i].name);
        free_metric(&t->further[i].from);
    }
    free(t->further);
    free(t->constraint);
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

size_t mk_tune_find_arm(const struct mk_tune *t, const char *label, size_t length)
{
    size_t k = 0;
    while (k < t->n_arms && (strlen(t->arm[k].label) != length || memcmp(t->arm[k].label, label, length) != 0)) k++;
    return k;
}
