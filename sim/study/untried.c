#include "sim/study/untried.h"

static bool is_tried(const struct mk_space *space, const struct mk_string_table *tried, const double *v)
{
    const uint64_t digest = mk_space_configuration_digest(space, v);
    return mk_string_table_find(tried, &digest, sizeof digest) != SIZE_MAX;
}

bool mk_another_untried(const struct mk_space *space, const struct mk_string_table *tried, struct mk_key key,
                        const double *asked, double *v)
{
    struct mk_pcg64 rng;
    if (!is_tried(space, tried, asked)) return false;
    mk_pcg64_from_key(&rng, key);
    for (size_t i = 0; i < space->n; i++) v[i] = mk_hyper_value(&space->hyper[i], mk_uniform(&rng));
    mk_space_complete(space, v);
    while (!mk_space_allows(space, v) || is_tried(space, tried, v)) mk_space_step(space, v);
    return true;
}
