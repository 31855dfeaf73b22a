#include "sim/study/untried.h"

static bool is_tried(const struct mk_space *space, const struct mk_string_table *tried, const double *v)
{
    const uint64_t digest = mk_space_configuration_digest(space, v);
    return mk_string_table_find(tried, &digest, sizeof digest) != SIZE_MAX;
}

/* The next configuration in the order of levels, after the last one the first. */
static void step_levels(const struct mk_space *space, double *v)
{
    bool carry = true;
    for (size_t i = 0; i < space->n && carry; i++) {
        const struct mk_hyper *h = &space->hyper[i];
        const double level = mk_hyper_level(h, v[i]) + 1;
        carry = level >= h->levels;
        v[i] = mk_hyper_at_level(h, carry ? 0 : level);
    }
}

bool mk_another_untried(const struct mk_space *space, const struct mk_string_table *tried, struct mk_key key,
                        const double *asked, double *v)
{
    struct mk_pcg64 rng;
    if (!is_tried(space, tried, asked)) return false;
    mk_pcg64_from_key(&rng, key);
    for (size_t i = 0; i < space->n; i++) v[i] = mk_hyper_value(&space->hyper[i], mk_uniform(&rng));
    while (is_tried(space, tried, v)) step_levels(space, v);
    return true;
}
