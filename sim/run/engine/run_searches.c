#include "sim/run/engine/run_searches.h"

#include <inttypes.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/system_memory.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory.h"
#include "sim/run/engine/run.h"

enum { ROUNDS = 4 }; /* units of every thread between two writes */

static int check_run_searches(const struct mk_experiment *e, struct mk_error *err)
{
    if (e->n_horizons) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: horizons: missing; expected the number of evaluations of every search",
                   e->file);
}

/* ---- rewards ---- */

static int run_combined(struct mk_reward_tape *tape, double *row, struct mk_error *err)
{
    const struct mk_problem *p = tape->problem;
    const uint64_t length = p->searches->budget;
    struct mk_pull pull;
    int code = MK_OK;
    for (size_t c = 0; c < p->n_baselines; c++)
        for (uint64_t n = 0; n < length && !code; n++) {
            if (mk_run_stopped()) return MK_OK;
            code = mk_search_pull(tape->bench, p->n_arms + c, &pull, err);
            row[c * length + n] = pull.reward;
            if (p->searches->in_part) row[mk_problem_evaluations(p) + c * length + n] = p->cost[pull.arm] * pull.cost;
            if (p->searches->noisy) row[mk_problem_noise_free_at(p) + c * length + n] = pull.noise_free;
            mk_reward_tape_evaluated(tape);
        }
    return code;
}

static int run_unit(struct mk_experiment *e, struct mk_reward_tape *tape, double *row, uint64_t unit,
                    struct mk_error *err)
{
    struct mk_problem *p = e->problem;
    const size_t instance = (size_t)(unit / e->replications);
    mk_reward_tape_seek(tape, instance, unit % e->replications);
    mk_reward_tape_finish(tape, mk_run_stopped, row);
    if (tape->rewards.failed)
        return tape->why.code ? mk_fail(err, tape->why.code, "%.900s", tape->why.text)
                              : mk_fail_memory(err, "the reward tape");
    int code = run_combined(tape, row + p->n_arms * p->searches->budget, err);
    if (!code && !mk_run_stopped()) mk_problem_put_row(p, instance, unit % e->replications, row);
    return code;
}

static int run_all(struct mk_experiment *e, int threads, struct mk_progress *progress, struct mk_error *err)
{
    const uint64_t units = mk_run_units(e);
    int failed = MK_OK;
    /* The first thread reports the progress, so it has something to do. */
    if (units < (uint64_t)threads) threads = (int)units;
#pragma omp parallel num_threads(threads)
    {
        MK_IN_C_LOCALE;
        struct mk_error why;
        struct mk_reward_tape *tape = NULL;
        double *row = malloc(mk_problem_row(e->problem) * sizeof *row);
        int code = row ? mk_reward_tape_new(&tape, e->problem, e->seed, &why) : mk_fail_memory(&why, "searches");
        if (!code) mk_reward_tape_count(tape, progress, omp_get_thread_num() == 0);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t unit = 0; unit < units; unit++) {
            if (code || mk_run_stopped()) continue;
            code = run_unit(e, tape, row, unit, &why);
        }
#pragma omp critical
        if (code && !failed) failed = mk_fail(err, code, "%.900s", why.text);
        mk_reward_tape_free(tape);
        free(row);
    }
    return failed || !mk_run_stopped() ? failed : mk_run_end_stopped(err);
}

int mk_run_searches(struct mk_experiment *e, int threads, struct mk_progress *progress, struct mk_error *err)
{
    struct mk_problem *p = e->problem;
    char text[2][MK_SIZE_ROOM];
    if (!p || !mk_problem_searches(p)) return MK_OK;
    int code = check_run_searches(e, err);
    if (code) return code;
    const double bytes = (double)mk_run_units(e) * (double)mk_problem_row(p) * sizeof(double);
    if (bytes > mk_system_memory())
        return mk_fail(err, MK_EINPUT,
                       "%s: the rewards of all searches need %s of memory and there is %s: use fewer "
                       "replications or shorter horizons",
                       e->file, mk_size_text(bytes, text[0]), mk_size_text(mk_system_memory(), text[1]));
    code = mk_problem_make_room(p, e->replications, err);
    if (progress) mk_progress_start(progress, 0, mk_run_units(e) * mk_run_steps(e));
    if (!code) code = run_all(e, threads, progress, err);
    if (progress) mk_progress_end(progress);
    return code ? code : mk_problem_record(p, e->file, err);
}

/* ---- CSV ---- */

/* A cell in quotes. */
static void put_quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"') putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

/* The arm's own hyperparameters of a configuration in the space of the search. */
static char *configuration_text(const struct mk_problem *p, size_t instance, const struct mk_pull *pull, bool is_arm,
                                int digits)
{
    const struct mk_searches *s = p->searches;
    const size_t first = is_arm ? 0 : s->first[instance * s->n_arms + pull->arm];
    const struct mk_space *space = (*mk_searches_objective(s, instance, pull->arm))->space;
    return mk_space_configuration_rounded(space, pull->v + first, digits);
}

/* Costs are written where an arm's differ from 1, or evaluations are made in part: read back, they are known only as
 * the arm is pulled. */
static bool has_costs(const struct mk_problem *p)
{
    if (p->searches->in_part) return true;
    for (size_t k = 0; k < p->n_arms; k++)
        if (p->cost[k] != 1) return true;
    return false;
}

static int put_header(const struct mk_problem *p, mk_rows_sink *sink, void *to, struct mk_error *err)
{
    char text[160];
    const int n =
        snprintf(text, sizeof text,
                 "instance,arm_index,classifier,optimizer,repetition,iteration,loss%s,arm,configuration%s%s\n",
                 has_costs(p) ? ",cost" : "", p->searches->noisy ? ",loss_noise_free" : "",
                 p->searches->in_part ? ",fidelity," MK_LOSS_SEEN : "");
    return sink(to, text, (size_t)n, err);
}

/* Writes a row: classifier and optimizer of a combined search are its label; arm is the label of the arm evaluated. */
static bool put_row(FILE *to, const struct mk_experiment *e, size_t instance, uint64_t replication, long index,
                    uint64_t n, const struct mk_pull *pull, int digits)
{
    const struct mk_problem *p = e->problem;
    const bool is_arm = index >= 0;
    char number[32];
    char *text = configuration_text(p, instance, pull, is_arm, digits);
    if (!text) return false;
    put_quoted(to, p->instance[instance].name);
    fprintf(to, ",%ld,", index);
    put_quoted(to, is_arm ? p->arm_label[index] : p->baseline_label[-1 - index]);
    putc(',', to);
    put_quoted(to, is_arm ? p->searches->optimizer[index].type->name : p->baseline_label[-1 - index]);
    fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%s,", replication, n,
            mk_format_real(mk_round_digits(-pull->value, digits), number, sizeof number));
    const double cost = mk_round_digits(p->cost[pull->arm] * pull->cost, digits);
    if (has_costs(p)) fprintf(to, "%s,", mk_format_real(cost, number, sizeof number));
    put_quoted(to, p->arm_label[pull->arm]);
    putc(',', to);
    put_quoted(to, text);
    const double noise_free = mk_round_digits(-pull->noise_free, digits);
    if (p->searches->noisy) fprintf(to, ",%s", mk_format_real(noise_free, number, sizeof number));
    if (p->searches->in_part) {
        fprintf(to, ",%s", mk_format_real(pull->fidelity, number, sizeof number));
        fprintf(to, ",%s", mk_format_real(mk_round_digits(-pull->reward, digits), number, sizeof number));
    }
    putc('\n', to);
    free(text);
    return true;
}

/* All rows of one unit as text, malloc'ed. */
static int record_unit(const struct mk_experiment *e, int digits, struct mk_search_bench *b, uint64_t unit, char **text,
                       size_t *length, struct mk_progress *progress, struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    const size_t instance = (size_t)(unit / e->replications);
    struct mk_pull pull;
    FILE *to = open_memstream(text, length);
    int code = to ? MK_OK : mk_fail_memory(err, "rows");
    mk_search_bench_seek(b, instance, mk_reward_tape_key_of(p, e->seed, instance, unit % e->replications));
    for (size_t s = 0; s < p->n_arms + p->n_baselines && !code; s++)
        for (uint64_t n = 0; n < p->searches->budget && !code && !mk_run_stopped(); n++) {
            const bool is_arm = s < p->n_arms;
            code = mk_search_pull(b, s, &pull, err);
            const long index = is_arm ? (long)s : -1 - (long)(s - p->n_arms);
            if (!code && !put_row(to, e, instance, unit % e->replications, index, n, &pull, digits))
                code = mk_fail_memory(err, "rows");
            if (progress) mk_progress_step(progress, omp_get_thread_num() == 0);
        }
    if (to && fclose(to) && !code) code = mk_fail_memory(err, "rows");
    return code;
}

/* Some units at a time, their texts in order. */
struct batch {
    const struct mk_experiment *e;
    struct mk_search_bench **bench; /* [threads] */
    int threads, digits;
    uint64_t first, n;
    char **text; /* [n] owned */
    size_t *length;
};

static int record_batch(struct batch *b, struct mk_progress *progress, struct mk_error *err)
{
    const int threads = b->n < (uint64_t)b->threads ? (int)b->n : b->threads;
    int failed = MK_OK;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint64_t i = 0; i < b->n; i++) {
        MK_IN_C_LOCALE;
        struct mk_error why;
        if (mk_run_stopped()) continue;
        int code = record_unit(b->e, b->digits, b->bench[omp_get_thread_num()], b->first + i, &b->text[i],
                               &b->length[i], progress, &why);
#pragma omp critical
        if (code && !failed) failed = mk_fail(err, code, "%.900s", why.text);
    }
    return failed || !mk_run_stopped() ? failed : mk_run_end_stopped(err);
}

static int record_all(struct batch *b, struct mk_progress *progress, mk_rows_sink *sink, void *to, struct mk_error *err)
{
    const uint64_t units = mk_run_units(b->e), most = (uint64_t)b->threads * ROUNDS;
    int code = put_header(b->e->problem, sink, to, err);
    for (b->first = 0; b->first < units && !code; b->first += b->n) {
        b->n = units - b->first < most ? units - b->first : most;
        memset(b->text, 0, b->n * sizeof *b->text);
        code = record_batch(b, progress, err);
        for (uint64_t i = 0; i < b->n; i++) {
            if (!code) code = sink(to, b->text[i], b->length[i], err);
            free(b->text[i]);
        }
    }
    return code;
}

int mk_record_searches(const struct mk_experiment *e, int threads, int digits, struct mk_progress *progress,
                       mk_rows_sink *sink, void *to, struct mk_error *err)
{
    const size_t most = (size_t)threads * ROUNDS;
    struct batch b = {.e = e, .threads = threads, .digits = digits};
    if (!e->problem || !mk_problem_searches(e->problem))
        return mk_fail(err, MK_EINPUT, "%s: problem: expected searches, which can be recorded", e->file);
    int code = check_run_searches(e, err);
    if (code) return code;
    b.bench = calloc((size_t)threads, sizeof *b.bench);
    b.text = malloc(most * sizeof *b.text);
    b.length = malloc(most * sizeof *b.length);
    if (!b.bench || !b.text || !b.length) code = mk_fail_memory(err, "rows");
    for (int i = 0; i < threads && !code; i++) code = mk_search_bench_new(&b.bench[i], e->problem->searches, err);
    if (progress) mk_progress_start(progress, 0, mk_run_units(e) * mk_run_steps(e));
    if (!code) code = record_all(&b, progress, sink, to, err);
    if (progress) mk_progress_end(progress);
    for (int i = 0; b.bench && i < threads; i++) mk_search_bench_free(b.bench[i]);
    free(b.bench);
    free(b.text);
    free(b.length);
    return code;
}
