/* Measuring speed: workloads, plain loops to compare with, and the sections of `maxk bench`.
 *
 * Rates on one core use the processor time of the thread, so that other work on the machine disturbs them less; work on
 * several threads is timed by the wall clock. Every rate is the median of several rounds; in each round a plain scalar
 * loop is timed alternately, and the ratio is the median of the rounds' ratios. */
#ifndef MAXK_SIM_PROGRAM_BENCH_BENCH_H
#define MAXK_SIM_PROGRAM_BENCH_BENCH_H

#include <stdint.h>

#include "sim/base/table/table.h"
#include "sim/run/engine/run.h"

enum { MK_BENCH_POWER_COUNT = 5 };
#define MK_BENCH_POWER_ARMS                                                                                            \
    "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1.01}, "                                \
    "{family: power, a: 5, s: 1.01}, {family: power, a: 5, s: 1.1}, {family: power, a: 4, s: 1}]}\n"

/* ---- workloads ---- */

/* An experiment played by one thread. */
struct mk_load {
    struct mk_experiment *experiment;
    struct mk_truth *truth;
    struct mk_run_context context;
    struct mk_worker *worker;
    uint64_t *pulls;
    double *max_reward;
    double pulls_per_replication;
    uint64_t next; /* replication */
};

/* `text`: an experiment file. Clear it even after an error. */
int mk_load_init(struct mk_load *w, const char *text, enum mk_engine engine, struct mk_error *err);
/* The same with tournaments from so many arms on (mk_setup). */
int mk_load_init_from(struct mk_load *w, const char *text, enum mk_engine engine, size_t tournament_from,
                      struct mk_error *err);
void mk_load_clear(struct mk_load *w);

/* Plays `count` further replications of all policies. */
void mk_load_play(struct mk_load *w, uint64_t count);

/* Pulls per second, over at least `least` seconds. */
double mk_load_rate(struct mk_load *w, double least);

/* Processor time of the calling thread in seconds. */
double mk_cpu_seconds(void);

/* Median of an odd number of values; reorders x. */
double mk_bench_median(double *x, size_t n);

/* ---- plain scalar loops, in the obvious form; pulls per second over at least `least` seconds ---- */

/* W1: MaxUCB (alpha .5) on the five power arms of Balef et al. 2025, Appendix E.4, T = 2000. */
double mk_plain_w1(double least);

/* W2: UCB1 on ten normal arms with means 0, 0.1 … 0.9 and standard deviation 1 (polar method), T = 10,000. */
double mk_plain_w2(double least);

/* The analysis of N(.5, .2) conditioned on [0, 1], draws by rejection and qsort. L and U as the extremes of G(b - eps)
 * / eps over 1000 eps for samples of 1000: draws per second. 1000 points of a survival curve with band from n draws:
 * draws per second; NaN: out of memory. E[M(n)] for n = 1, 10 … last by the midpoint rule with 10^6 cells: values per
 * second. */
double mk_plain_lu(size_t runs);
double mk_plain_survival(size_t n);
double mk_plain_expected_max(size_t last);

/* ---- the report ---- */

enum { MK_BENCH_ROUNDS = 5 /* at most */, MK_BENCH_ITEM = 112 /* bytes of the name of a row */ };

struct mk_bench {
    struct mk_table *table; /* of one of the schemas */
    const char *section;    /* that is being measured */
    int quick;
    double least;  /* minimum seconds of one measurement */
    size_t rounds; /* 1 … MK_BENCH_ROUNDS, odd */
    int threads;   /* largest number to use */
};

/* The report. A row's NaN and NULL are missing. */
extern const struct mk_table_schema mk_bench_schema;

struct mk_bench_row {
    const char *item;
    double value;
    const char *unit;
    double plain, ratio;      /* the plain loop in the same unit; value / plain */
    double elsewhere, factor; /* measured on another machine; value / elsewhere, scaled by the plain loops of both */
    const char *target;
    int met; /* -1: no target */
};

/* A row of one number: everything else is missing. */
struct mk_bench_row mk_bench_row(const char *item, double value, const char *unit);

/* A rate next to that of the plain loop, both in pulls/s. */
struct mk_bench_row mk_bench_rate(const char *item, double rate, double plain, double ratio);

void mk_bench_print(struct mk_bench *b, const struct mk_bench_row *row);

/* Prints a row of one number, the target of which is to be at most `most`; INFINITY: there is none. */
void mk_bench_print_value(struct mk_bench *b, const char *item, double value, const char *unit, double most);

/* The parts of the benchmark, which print their rows: rates on one core (sim/program/bench/bench_rates.c). */
int mk_bench_w1(struct mk_bench *b, struct mk_error *err);
int mk_bench_w2(struct mk_bench *b, struct mk_error *err);
int mk_bench_sweep(struct mk_bench *b, struct mk_error *err);
int mk_bench_policies(struct mk_bench *b, struct mk_error *err);
int mk_bench_sampling(struct mk_bench *b, struct mk_error *err);
int mk_bench_record(struct mk_bench *b, struct mk_error *err);

/* Whole runs and analysis (sim/program/bench/bench_whole.c). */
int mk_bench_alpha(struct mk_bench *b, struct mk_error *err);
int mk_bench_threads(struct mk_bench *b, struct mk_error *err);
int mk_bench_analysis(struct mk_bench *b, struct mk_error *err);
int mk_bench_memory(struct mk_bench *b, struct mk_error *err);

/* Many arms (sim/program/bench/bench_arms.c). */
int mk_bench_arms(struct mk_bench *b, struct mk_error *err);

/* An experiment file: power arms drawn from a prior. */
void mk_bench_arms_text(char *text, size_t room, const char *policy, uint64_t arms, uint64_t T);

/* Searches inside arms (sim/program/bench/bench_lower.c). */
int mk_bench_lower(struct mk_bench *b, struct mk_error *err);

/* Shards: rates, and the serial part at the end (sim/program/bench/bench_shards.c). */
int mk_bench_shards(struct mk_bench *b, struct mk_error *err);

/* ---- time per pull against T and against K (sim/program/bench/bench_scaling.c) ---- */

#define MK_SCALING_COLUMNS(X)                                                                                          \
    X(MK_SCALING_POLICY, "policy", TEXT, "", "name of the policy")                                                     \
    X(MK_SCALING_ARMS, "arms", COUNT, "arms", "number of arms K")                                                      \
    X(MK_SCALING_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                      \
    X(MK_SCALING_NS, "ns_per_pull", REAL, "ns", "nanoseconds per pull, median of the rounds")
enum { MK_SCALING_COLUMNS(MK_COLUMN_ENUMERATOR) };
extern const struct mk_table_schema mk_scaling_schema;

/* Every policy on the five power arms at T = 10^2 … 10^6 (quick: 10^4), then on K = 10 … 10^6 (quick: 10^3) arms from a
 * prior at T = 4 K, up to the K at which a replication would take longer than 10 s; one row per policy and point.
 * `folder` receives two figures per kind of policy: bench_scaling_{extreme,cash,classic} against T,
 * bench_scaling_arms_{extreme,cash,classic} against K. */
int mk_bench_scaling(struct mk_bench *b, const char *folder, struct mk_error *err);

#endif
