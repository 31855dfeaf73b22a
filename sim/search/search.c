#include "sim/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

void mk_searches_free(struct mk_searches *s)
{
    if (!s) return;
    for (size_t i = 0; s->objective && i < s->n_instances * s->n_arms; i++) mk_objective_free(s->objective[i]);
    for (size_t i = 0; s->joint && i < s->n_instances; i++) mk_space_free(s->joint[i]);
    for (size_t i = 0; s->prior && i < s->n_instances; i++) mk_prior_arms_free(s->prior[i], s->n_arms);
    free(s->objective);
    free(s->prior);
    free(s->optimizer);
    free(s->combined);
    free(s->joint);
    free(s->first);
    free(s);
}

int mk_searches_new(struct mk_searches **out, size_t n_instances, size_t n_arms, struct mk_error *err)
{
    struct mk_searches *s = calloc(1, sizeof *s);
    if (!s) return mk_fail_memory(err, "searches");
    s->n_instances = n_instances;
    s->n_arms = n_arms;
    s->objective = calloc(n_instances * n_arms, sizeof *s->objective);
    s->optimizer = calloc(n_arms, sizeof *s->optimizer);
    if (!s->objective || !s->optimizer) {
        mk_searches_free(s);
        return mk_fail_memory(err, "searches");
    }
    *out = s;
    return MK_OK;
}

int mk_searches_join(struct mk_searches *s, const char *const *arm_label, struct mk_error *err)
{
    const struct mk_space **space = malloc(s->n_arms * sizeof *space);
    s->joint = calloc(s->n_instances, sizeof *s->joint);
    s->first = calloc(s->n_instances * s->n_arms, sizeof *s->first);
    int code = space && s->joint && s->first ? MK_OK : mk_fail_memory(err, "a joint space");
    for (size_t i = 0; i < s->n_instances && !code; i++) {
        for (size_t k = 0; k < s->n_arms; k++) space[k] = (*mk_searches_objective(s, i, k))->space;
        code = mk_space_join(&s->joint[i], space, arm_label, s->n_arms, s->first + i * s->n_arms, err);
    }
    free(space);
    return code;
}

static int check_fit(const struct mk_optimizer_choice *o, const struct mk_space *space, uint64_t budget,
                     struct mk_error *err)
{
    return o->type->fits ? o->type->fits(o->par, space, budget, err) : MK_OK;
}

static bool is_in_part(const struct mk_searches *s)
{
    bool asks = false, allows = false;
    for (size_t k = 0; k < s->n_arms; k++) asks |= (s->optimizer[k].type->flags & MK_OPTIMIZER_FIDELITY) != 0;
    for (size_t c = 0; c < s->n_combined; c++) asks |= (s->combined[c].type->flags & MK_OPTIMIZER_FIDELITY) != 0;
    for (size_t k = 0; k < s->n_arms; k++)
        allows |= ((*mk_searches_objective(s, 0, k))->type->flags & MK_OBJECTIVE_FIDELITY) != 0;
    return asks && allows;
}

int mk_searches_set_budget(struct mk_searches *s, uint64_t budget, size_t *arm, struct mk_error *err)
{
    int code = MK_OK;
    s->budget = budget;
    s->in_part = is_in_part(s);
    for (size_t i = 0; i < s->n_instances * s->n_arms; i++) s->noisy |= mk_objective_is_noisy(s->objective[i]);
    for (*arm = 0; *arm < s->n_arms + s->n_combined; (*arm)++)
        for (size_t i = 0; i < s->n_instances; i++) {
            const size_t k = *arm;
            code = k < s->n_arms ? check_fit(&s->optimizer[k], (*mk_searches_objective(s, i, k))->space, budget, err)
                                 : check_fit(&s->combined[k - s->n_arms], s->joint[i], budget, err);
            if (code) return code;
        }
    return MK_OK;
}

/* ---- running searches ---- */

/* One search; its optimiser is made at the first ask. */
struct live {
    struct mk_optimizer *optimizer;
    bool started;
    double whole, worst; /* largest value of the whole evaluations, smallest of all so far; NaN: none */
    double whole_noise_free, worst_noise_free; /* of their configurations */
};

struct mk_search_bench {
    const struct mk_searches *s;
    size_t instance;
    struct mk_key key;
    struct live *live;     /* [n_arms + n_combined] */
    uint64_t *evaluations; /* [n_arms + n_combined * n_arms] of each arm, by itself and in each combined search */
};

int mk_search_bench_new(struct mk_search_bench **out, const struct mk_searches *s, struct mk_error *err)
{
    struct mk_search_bench *b = calloc(1, sizeof *b);
    if (!b) return mk_fail_memory(err, "searches");
    b->s = s;
    b->instance = SIZE_MAX;
    b->live = calloc(s->n_arms + s->n_combined, sizeof *b->live);
    b->evaluations = calloc((1 + s->n_combined) * s->n_arms, sizeof *b->evaluations);
    if (!b->live || !b->evaluations) {
        mk_search_bench_free(b);
        return mk_fail_memory(err, "searches");
    }
    *out = b;
    return MK_OK;
}

static void drop_optimizers(struct mk_search_bench *b)
{
    for (size_t i = 0; b->live && i < b->s->n_arms + b->s->n_combined; i++) {
        mk_optimizer_free(b->live[i].optimizer);
        b->live[i].optimizer = NULL;
    }
}

void mk_search_bench_free(struct mk_search_bench *b)
{
    if (!b) return;
    drop_optimizers(b);
    free(b->live);
    free(b->evaluations);
    free(b);
}

void mk_search_bench_seek(struct mk_search_bench *b, size_t instance, struct mk_key key)
{
    const struct mk_searches *s = b->s;
    if (instance != b->instance) drop_optimizers(b); /* other spaces */
    b->instance = instance;
    b->key = key;
    for (size_t i = 0; i < s->n_arms + s->n_combined; i++) b->live[i].started = false;
    memset(b->evaluations, 0, (1 + s->n_combined) * s->n_arms * sizeof *b->evaluations);
}

void mk_search_restart_combined(struct mk_search_bench *b, size_t combined)
{
    const size_t K = b->s->n_arms;
    b->live[K + combined].started = false;
    memset(b->evaluations + (1 + combined) * K, 0, K * sizeof *b->evaluations);
}

static int begin(struct mk_search_bench *b, size_t at, struct mk_error *err)
{
    const struct mk_searches *s = b->s;
    struct live *live = &b->live[at];
    const bool is_arm = at < s->n_arms;
    const struct mk_optimizer_choice *choice = is_arm ? &s->optimizer[at] : &s->combined[at - s->n_arms];
    const struct mk_space *space = is_arm ? (*mk_searches_objective(s, b->instance, at))->space : s->joint[b->instance];
    const struct mk_key key = is_arm ? mk_key_text(mk_key_word(b->key, at), "optimizer")
                                     : mk_key_text(mk_key_text(b->key, "combined"), choice->type->name);
    int code =
        live->optimizer ? MK_OK : mk_optimizer_new(&live->optimizer, choice->type, choice->par, space, s->budget, err);
    const struct mk_prior_arm *prior = is_arm && s->prior ? &s->prior[b->instance][at] : NULL;
    if (!code && prior) mk_optimizer_give(live->optimizer, prior->v, prior->n);
    if (!code) code = mk_optimizer_start(live->optimizer, key, err);
    live->started = !code;
    live->whole = live->worst = live->whole_noise_free = live->worst_noise_free = NAN;
    return code;
}

/* Sets the reward, and the value without noise of what it is of, from those of the evaluation. */
static void set_reward(struct live *live, double value, double noise_free, struct mk_pull *out)
{
    if (!(live->worst <= value)) {
        live->worst = value;
        live->worst_noise_free = noise_free;
    }
    if (out->fidelity == 1 && !(live->whole >= value)) {
        live->whole = value;
        live->whole_noise_free = noise_free;
    }
    const bool is_part = out->fidelity != 1, none = isnan(live->whole);
    out->reward = !is_part ? value : none ? live->worst : live->whole;
    out->noise_free = !is_part ? noise_free : none ? live->worst_noise_free : live->whole_noise_free;
}

/* Asks, evaluates and reports. */
int mk_search_pull(struct mk_search_bench *b, size_t at, struct mk_pull *out, struct mk_error *err)
{
    const struct mk_searches *s = b->s;
    const bool is_arm = at < s->n_arms;
    struct mk_evaluation e;
    struct mk_pcg64 noise;
    struct live *live = &b->live[at];
    int code = live->started ? MK_OK : begin(b, at, err);
    if (!code) code = mk_optimizer_ask(live->optimizer, &out->v, &out->fidelity, err);
    if (code) return code;
    out->arm = is_arm ? at : (size_t)out->v[0];
    /* where the arm's configuration begins in that of the search */
    const size_t first = is_arm ? 0 : s->first[b->instance * s->n_arms + out->arm];
    uint64_t *n = &b->evaluations[(is_arm ? 0 : 1 + at - s->n_arms) * s->n_arms + out->arm];
    mk_pcg64_from_key(&noise, mk_key_word(mk_key_text(mk_key_word(b->key, out->arm), "noise"), (*n)++));
    const struct mk_objective *o = *mk_searches_objective(s, b->instance, out->arm);
    if (!(o->type->flags & MK_OBJECTIVE_FIDELITY)) out->fidelity = 1;
    mk_objective_evaluate(o, out->v + first, out->fidelity, &noise, &e);
    if (!(fabs(e.value) <= MK_MOST_REWARD))
        return mk_fail(err, MK_EINPUT, "objective %s: expected rewards from " MK_REWARD_RANGE ", got %g", o->type->name,
                       e.value);
    if (o->type->flags & MK_OBJECTIVE_FIDELITY) e.cost *= 1 - live->optimizer->ask.paid / out->fidelity;
    set_reward(live, e.value, s->noisy ? mk_objective_noise_free(o, out->v + first) : e.value, out);
    out->value = e.value;
    out->cost = e.cost;
    mk_optimizer_tell(live->optimizer, e.value, e.cost, e.status);
    return MK_OK;
}

struct mk_optimizer *mk_search_optimizer(const struct mk_search_bench *b, size_t at)
{
    return b->live[at].started ? b->live[at].optimizer : NULL;
}
