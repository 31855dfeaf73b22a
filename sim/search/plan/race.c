#include "sim/search/plan/race.h"

#include <math.h>

enum { MOST_CONFIGURATIONS = 1024 };

unsigned mk_race_count(double parameters)
{
    return (unsigned)floor(2 + log2(parameters));
}

uint64_t mk_race_budget(uint64_t remaining, unsigned races, unsigned j)
{
    return j >= races ? remaining : remaining / (races - j + 1);
}

uint64_t mk_race_size(enum mk_reading reading, const struct mk_race_plan *p)
{
    const uint64_t tests = p->j < 5 ? p->j : 5;
    if (reading == MK_READING_PRINTED) return p->budget / (p->first + p->each * tests);
    const uint64_t all = (p->old + p->add + p->each - 1) / p->each * p->each, min = p->first + p->each * tests;
    const uint64_t n = (p->budget + p->elites * p->old) / (min > all ? min : all);
    return n < MOST_CONFIGURATIONS ? n : MOST_CONFIGURATIONS;
}

double mk_race_weight(enum mk_reading reading, uint64_t n, uint64_t rank)
{
    const double all = (double)n, r = (double)rank;
    return (reading == MK_READING_PRINTED ? 2 * all - r + 1 : 2 * (all - r + 1)) / (all * (all + 1));
}
