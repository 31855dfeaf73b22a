/* Searches: an objective and the optimiser that works on it (sim/search/search.h). */
#include <stdlib.h>

#include "sim/base/hash.h"
#include "sim/problem/problem.h"

enum { LOOKED_AT = 8 };

static int make_room(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    return mk_searches_new(&p->searches, n_instances, p->n_arms, err);
}

/* Digest of the rewards of every measured configuration, and of some of every other objective: tables may
 * change. */
static int fingerprint(const struct mk_problem *p, uint64_t *digest)
{
    const struct mk_searches *s = p->searches;
    uint64_t hash = MK_HASH_START;
    for (size_t i = 0; i < s->n_instances * s->n_arms; i++) {
        const struct mk_objective *o = s->objective[i];
        struct mk_pcg64 rng;
        mk_pcg64_from_key(&rng, mk_key_word(mk_key_start(), i));
        double *v = malloc((o->space->n + 1) * sizeof *v);
        if (!v) return MK_ENOMEM;
        const size_t rows = o->space->n_rows;
        for (size_t n = 0; n < (rows ? rows : LOOKED_AT); n++) {
            struct mk_evaluation e;
            struct mk_pcg64 noise = rng;
            if (!rows) mk_space_sample(o->space, &rng, v);
            mk_objective_evaluate(o, rows ? o->space->row + n * o->space->n : v, 1, &noise, &e);
            const unsigned char *byte = (const unsigned char *)&e.value;
            for (size_t b = 0; b < sizeof e.value; b++) hash = mk_hash_add(hash, byte[b]);
        }
        free(v);
    }
    *digest = hash;
    return MK_OK;
}

const struct mk_source_type mk_source_searches = {.key = "searches",
                                                  .evaluated = true,
                                                  .fingerprint_name = "rewards of configurations",
                                                  .fingerprint = fingerprint,
                                                  .make_room = make_room,
                                                  .support = mk_source_series_support};
