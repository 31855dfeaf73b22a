#include "sim/search/objectives/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/parts/kernel.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

void mk_objective_free(struct mk_objective *o)
{
    if (!o) return;
    if (o->type->free_data && o->data)
        o->type->free_data(o->data);
    else
        free(o->data);
    for (size_t i = 0; i < MK_MAX_PARAMS; i++) free(o->text[i]);
    mk_space_free(o->space);
    free(o->input);
    free(o);
}

static int check_params(const struct mk_objective_spec *spec, int *param, struct mk_error *err)
{
    const struct mk_param *params = spec->type->params;
    char text[32], range[256];
    for (size_t i = 0; i < mk_param_count(params); i++) {
        const struct mk_param *p = &params[i];
        const bool number = mk_param_is_number(p), given = number ? !isnan(spec->par[i]) : spec->text[i] != NULL;
        *param = (int)i;
        if (!given && (p->flags & MK_REQUIRED))
            return mk_fail(err, MK_EINPUT, "missing; expected %s", mk_param_range(p, range, sizeof range));
        if (given && number && p->kind != MK_CHOICE && !mk_param_allows(p, spec->par[i]))
            return mk_fail(err, MK_EINPUT, "expected %s, got %s", mk_param_range(p, range, sizeof range),
                           mk_format_real(spec->par[i], text, sizeof text));
    }
    *param = -1;
    const char *problem = spec->type->check ? spec->type->check(spec->par) : NULL;
    return problem ? mk_fail(err, MK_EINPUT, "%s", problem) : MK_OK;
}

/* Every word of the hyperparameter is a number. */
static bool is_number(const struct mk_hyper *h)
{
    double x;
    for (size_t i = 0; i < h->n_words; i++)
        if (!mk_parse_real(h->word[i], strlen(h->word[i]), &x)) return false;
    return true;
}

/* Positions of the inputs, those of the objective's own space, in the given space. */
static int find_inputs(struct mk_objective *o, const struct mk_space *own, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    o->input = calloc(own->n, sizeof *o->input);
    if (!o->input) return mk_fail_memory(err, "an objective");
    for (size_t i = 0; i < own->n; i++) {
        const char *name = mk_clip(own->hyper[i].name, clip);
        o->input[i] = mk_space_find(o->space, own->hyper[i].name);
        if (o->input[i] == SIZE_MAX)
            return mk_fail(err, MK_EINPUT, "%s needs a hyperparameter %s", o->type->name, name);
        if (!is_number(&o->space->hyper[o->input[i]]))
            return mk_fail(err, MK_EINPUT, "hyperparameter %s of %s must be a number", name, o->type->name);
        if (o->space->hyper[o->input[i]].n_when)
            return mk_fail(err, MK_EINPUT, "hyperparameter %s of %s must always be active", name, o->type->name);
    }
    for (size_t i = 0; i < o->space->n; i++)
        if (mk_space_find(own, o->space->hyper[i].name) == SIZE_MAX)
            return mk_fail(err, MK_EINPUT, "%s has no input %s", o->type->name, mk_clip(o->space->hyper[i].name, clip));
    return MK_OK;
}

/* The objective's own space, or the given one, which must match it. */
static int settle_space(struct mk_objective *o, const struct mk_objective_spec *spec, int *param, struct mk_error *err)
{
    struct mk_space *own = NULL;
    const unsigned flags = o->type->flags;
    int code = MK_OK;
    if (!spec->space || (flags & MK_OBJECTIVE_NUMBERS)) code = o->type->make_space(o, &own, err);
    if (code) return code;
    if (!spec->space) {
        o->space = own;
        return flags & MK_OBJECTIVE_NUMBERS ? find_inputs(o, own, err) : MK_OK;
    }
    *param = -2;
    o->space = spec->space;
    if (flags & MK_OBJECTIVE_OWN_SPACE)
        code = mk_fail(err, MK_EINPUT, "%s has a space of its own", o->type->name);
    else if (flags & MK_OBJECTIVE_NUMBERS)
        code = find_inputs(o, own, err);
    mk_space_free(own);
    if (!code) *param = -1;
    return code;
}

int mk_objective_new(struct mk_objective **out, const struct mk_objective_spec *spec, struct mk_objective_files *files,
                     int *param, struct mk_error *err)
{
    int code = check_params(spec, param, err);
    if (code) return code;
    struct mk_objective *o = calloc(1, sizeof *o);
    if (!o) return mk_fail_memory(err, "an objective");
    o->type = spec->type;
    o->noise = spec->noise;
    o->files = files;
    memcpy(o->par, spec->par, sizeof o->par);
    for (size_t i = 0; i < MK_MAX_PARAMS && !code; i++)
        if (spec->text[i] && !(o->text[i] = strdup(spec->text[i]))) code = mk_fail_memory(err, "an objective");
    if (!code) code = settle_space(o, spec, param, err);
    if (!code && o->type->prepare) code = o->type->prepare(o, err);
    o->files = NULL;
    if (!code) {
        *out = o;
        return MK_OK;
    }
    if (o->space == spec->space) o->space = NULL; /* it still belongs to the caller */
    mk_objective_free(o);
    return code;
}

double mk_objective_input(const struct mk_objective *o, const double *v, size_t i)
{
    const struct mk_hyper *h = &o->space->hyper[o->input[i]];
    double x = v[o->input[i]];
    if (mk_hyper_is_word(h)) {
        const char *word = h->word[(size_t)x];
        mk_parse_real(word, strlen(word), &x);
    }
    return x;
}

void mk_objective_evaluate(const struct mk_objective *o, const double *v, double fidelity, struct mk_pcg64 *noise,
                           struct mk_evaluation *out)
{
    if (!(o->type->flags & MK_OBJECTIVE_FIDELITY)) fidelity = 1;
    *out = (struct mk_evaluation){NAN, fidelity, MK_TRIAL_OK, fidelity};
    o->type->evaluate(o, v, out);
    if (!(o->noise > 0)) return;
    double z = mk_uniform(noise);
    mk_block_normal(1, &z);
    out->value += o->noise * z;
}

static double own_noise(const struct mk_objective *o)
{
    return o->type->own_noise ? o->par[o->type->own_noise - 1] : 0;
}

bool mk_objective_is_noisy(const struct mk_objective *o)
{
    return o->noise > 0 || own_noise(o) > 0;
}

double mk_objective_noise_free(const struct mk_objective *o, const double *v)
{
    struct mk_objective quiet = *o;
    struct mk_evaluation e = {NAN, 1, MK_TRIAL_OK, 1};
    if (o->type->own_noise) quiet.par[o->type->own_noise - 1] = 0;
    o->type->evaluate(&quiet, v, &e);
    return e.value;
}

double mk_objective_optimum(const struct mk_objective *o)
{
    return o->type->optimum ? o->type->optimum(o) : NAN;
}
