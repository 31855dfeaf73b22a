#include "sim/study/own_choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

int mk_own_check(const struct mk_study_own *own, const struct mk_tune *t, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    if (t->own_policy && !(own && own->ask_arm && own->tell_arm))
        return mk_fail(
            err, MK_EINPUT,
            "%s: own_policy: the arms are chosen by %s, which is not there; expected a study that has it, such as "
            "maxk.Study(…, policy=…, resume=True)",
            t->file, mk_clip(t->own_policy, clip));
    for (size_t k = 0; k < t->n_arms; k++)
        if (t->arm[k].own_optimizer && !(own && own->ask && own->tell))
            return mk_fail(err, MK_EINPUT,
                           "%s: own_optimizer: configurations are chosen by %s, which is not there; expected a study "
                           "that has it, such as maxk.Study(…, optimizer=…, resume=True)",
                           t->file, mk_clip(t->arm[k].own_optimizer, clip));
    return MK_OK;
}

static int failed(struct mk_error *err, const char *what)
{
    return mk_fail(err, MK_EINPUT, "%s", what);
}

int mk_own_restart(const struct mk_study_own *own, struct mk_error *err)
{
    return own && own->restart && own->restart(own->context) ? failed(err, "own_policy: cannot begin again") : MK_OK;
}

int mk_own_ask_arm(const struct mk_study_own *own, const struct mk_tune *t, struct mk_own_arm *next, size_t known,
                   size_t *arm, struct mk_error *err)
{
    if (!next->is_known && own->ask_arm(own->context, known, &next->arm))
        return failed(err, "own_policy: has chosen no arm");
    *arm = known != SIZE_MAX ? known : next->arm;
    next->is_known = *arm < t->n_arms;
    if (next->is_known) return MK_OK;
    return mk_fail(err, MK_EINPUT, "own_policy: expected an arm from 0 to %zu, got %zu", t->n_arms - 1, *arm);
}

int mk_own_tell_arm(const struct mk_study_own *own, size_t arm, double reward, struct mk_error *err)
{
    return own->tell_arm(own->context, arm, reward) ? failed(err, "own_policy: has not taken a result") : MK_OK;
}

/* malloc'ed; NULL: out of memory. */
static char *json_of(const struct mk_space *space, const double *v)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    mk_put_json_configuration(to, space, v);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

int mk_own_ask(const struct mk_study_own *own, const struct mk_tune *t, size_t arm, const double *known, double *v,
               struct mk_error *err)
{
    const struct mk_space *space = t->arm[arm].space;
    const char *given = NULL;
    char *text = known ? json_of(space, known) : NULL;
    if (known && !text) return mk_fail_memory(err, "a configuration");
    int code =
        own->ask(own->context, arm, text, &given) ? failed(err, "own_optimizer: has chosen no configuration") : MK_OK;
    free(text);
    if (!code && known) memcpy(v, known, space->n * sizeof *v);
    if (code || known) return code;
    char from[2 * MK_CLIP_ROOM + 20], clip[MK_CLIP_ROOM], class[MK_CLIP_ROOM];
    snprintf(from, sizeof from, "optimizer of %s: %s", mk_clip(t->arm[arm].label, clip),
             mk_clip(t->arm[arm].own_optimizer, class));
    return mk_tune_complete_configuration(t, arm, from, given, v, err);
}

int mk_own_tell(const struct mk_study_own *own, const struct mk_tune *t, size_t arm, const double *v, double reward,
                struct mk_error *err)
{
    char *text = json_of(t->arm[arm].space, v);
    if (!text) return mk_fail_memory(err, "a configuration");
    const int code = own->tell(own->context, arm, text, reward);
    free(text);
    return code ? failed(err, "own_optimizer: has not taken a result") : MK_OK;
}
