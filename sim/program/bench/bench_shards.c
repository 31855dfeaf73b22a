/* One run as 1, 2, 4 … shards at the same time, one process each, and what remains for the one process at the end. The
 * model in experiments/cluster/README.md takes its numbers from here. One thread per process; rates and ratios by the
 * wall clock, the serial part in processor time. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/scratch_file.h"
#include "sim/program/bench/bench.h"
#include "sim/run/durable/durable_run.h"
#include "sim/run/durable/finish_result.h"

enum { MOST_PARTS = 64, MANY_PARTS = 32, FEW = 64, FOLDER_ROOM = 512, PATH_ROOM = 600 };

struct job {
    const struct mk_experiment *e;
    const struct mk_run_context *context;
    const char *folder;
    uint64_t parts;
};

/* ---- what a process does ---- */

static int drop(void *to, const struct mk_block *b, struct mk_error *err)
{
    (void)to;
    (void)b;
    (void)err;
    return MK_OK;
}

/* Part i (from 1), without a file. */
static int simulate_part(const struct job *j, uint64_t i, struct mk_error *err)
{
    const uint64_t all = mk_run_units(j->e);
    struct mk_run_part part = {.block_units = mk_run_block_units(j->context, all, 1), .ranks = 1};
    mk_shard_units((struct mk_shard){i, j->parts}, all, &part.first, &part.end);
    return mk_run_part(j->context, &part, 1, drop, NULL, NULL, err);
}

static void part_path(const struct job *j, uint64_t i, char *path, size_t room)
{
    snprintf(path, room, "%s/%llu.part", j->folder, (unsigned long long)i);
}

/* The same as `maxk run --shard i/parts -j 1` does it. */
static int write_part(const struct job *j, uint64_t i, struct mk_error *err)
{
    char path[PATH_ROOM];
    struct mk_mpi alone = {.count = 1, .here = 1};
    struct mk_run_report done;
    part_path(j, i, path, sizeof path);
    const struct mk_durable_options c = {
        .path = path, .shard = {i, j->parts}, .force = 1, .threads = 1, .command_line = "maxk bench", .ranks = &alone};
    return mk_durable_run(j->e, &c, &done, err);
}

/* The result of all parts. */
static int merge_parts(const struct job *j, uint64_t i, struct mk_error *err)
{
    struct mk_journal *part[MOST_PARTS] = {NULL};
    const struct mk_volatile v = {"maxk bench", 1, 0};
    char path[PATH_ROOM];
    int code = MK_OK;
    (void)i;
    for (uint64_t k = 0; k < j->parts && !code; k++) {
        part_path(j, k + 1, path, sizeof path);
        code = mk_journal_read(&part[k], path, err);
    }
    snprintf(path, sizeof path, "%s/merged.h5", j->folder);
    if (!code) code = mk_finish_result(path, j->context, part, (size_t)j->parts, 0, &v, err);
    for (uint64_t k = 0; k < j->parts; k++) mk_journal_free(part[k]);
    return code;
}

/* ---- processes ---- */

/* Seconds until the last of them has ended, and processor time of all. */
struct spent {
    double wall, cpu;
};

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* n processes, each with a number from 1. */
static int in_processes(const struct job *j, uint64_t n, int (*play)(const struct job *, uint64_t, struct mk_error *),
                        struct spent *out, struct mk_error *err)
{
    pid_t child[MOST_PARTS];
    int failed = 0;
    fflush(NULL);
    const double start = mk_seconds();
    out->cpu = 0;
    for (uint64_t i = 0; i < n; i++) {
        child[i] = fork();
        if (child[i] == 0) _exit(play(j, i + 1, err) ? 1 : 0);
    }
    for (uint64_t i = 0; i < n; i++) {
        struct rusage usage;
        int status = 1;
        failed |= child[i] < 0 || wait4(child[i], &status, 0, &usage) != child[i] || status;
        if (!failed) out->cpu += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    }
    out->wall = mk_seconds() - start;
    return failed ? mk_fail(err, MK_EFAIL, "a process of the benchmark failed") : MK_OK;
}

static int write_and_merge(const struct job *j, struct spent *written, struct spent *merged, struct mk_error *err)
{
    int code = in_processes(j, j->parts, write_part, written, err);
    return code ? code : in_processes(j, 1, merge_parts, merged, err);
}

static double bytes_of_parts(const struct job *j)
{
    double bytes = 0;
    for (uint64_t i = 1; i <= j->parts; i++) {
        char path[PATH_ROOM];
        struct stat st;
        part_path(j, i, path, sizeof path);
        if (!stat(path, &st)) bytes += (double)st.st_size;
    }
    return bytes;
}

/* ---- rows ---- */

static void print_row(struct mk_bench *b, const char *item, double value, const char *unit)
{
    mk_bench_print_value(b, item, value, unit, INFINITY);
}

struct timing {
    double simulate[MK_BENCH_ROUNDS], written[MK_BENCH_ROUNDS], merged[MK_BENCH_ROUNDS];
};

static int measure(const struct job *j, struct timing *t, size_t rounds, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t r = 0; r < rounds && !code; r++) {
        struct spent simulate = {0, 0}, written = {0, 0}, merged = {0, 0};
        code = in_processes(j, j->parts, simulate_part, &simulate, err);
        if (!code) code = write_and_merge(j, &written, &merged, err);
        t->simulate[r] = simulate.wall;
        t->written[r] = written.wall;
        t->merged[r] = merged.wall;
    }
    return code;
}

/* Ratios to one process are those of the same round; `whole`: including parts and merge, compared with one process that
 * does the same. */
static void print_parts(struct mk_bench *b, int parts, double pulls, const struct timing *one, struct timing *t,
                        size_t rounds)
{
    char item[MK_BENCH_ITEM];
    double gain[MK_BENCH_ROUNDS], whole[MK_BENCH_ROUNDS];
    for (size_t r = 0; r < rounds; r++) {
        gain[r] = one->simulate[r] / t->simulate[r];
        whole[r] = (one->written[r] + one->merged[r]) / (t->written[r] + t->merged[r]);
    }
    struct timing sorted = *t; /* medians reorder */
    const double simulate = mk_bench_median(sorted.simulate, rounds), written = mk_bench_median(sorted.written, rounds);
    snprintf(item, sizeof item, "%d shard%s: simulation", parts, parts > 1 ? "s" : "");
    print_row(b, item, 1e-6 * pulls / simulate, "M pulls/s");
    snprintf(item, sizeof item, "%d shard%s: simulation and writing parts", parts, parts > 1 ? "s" : "");
    print_row(b, item, 1e-6 * pulls / written, "M pulls/s");
    snprintf(item, sizeof item, "%d shard%s: merge", parts, parts > 1 ? "s" : "");
    print_row(b, item, mk_bench_median(sorted.merged, rounds), "s");
    if (parts == 1) return;
    snprintf(item, sizeof item, "%d shards against one: simulation", parts);
    print_row(b, item, mk_bench_median(gain, rounds), "times");
    snprintf(item, sizeof item, "%d shards against one: with parts and merge", parts);
    print_row(b, item, mk_bench_median(whole, rounds), "times");
}

/* What does not shrink with the number of processes; the fixed part is that of a run of FEW replications. */
static int print_serial(struct mk_bench *b, struct mk_load *w, struct job *j, size_t rounds, struct mk_error *err)
{
    struct mk_experiment *e = w->experiment;
    const uint64_t all = e->replications;
    const double cells = (double)(e->n_entries * e->n_horizons);
    double fixed[MK_BENCH_ROUNDS], part[MK_BENCH_ROUNDS], cell[MK_BENCH_ROUNDS], mb[MK_BENCH_ROUNDS],
        packed[MK_BENCH_ROUNDS], played[MK_BENCH_ROUNDS];
    int code = MK_OK;
    for (size_t r = 0; r < rounds && !code; r++) {
        struct spent simulate = {0, 0}, written = {0, 0}, few = {0, 0}, one = {0, 0}, many = {0, 0}, parts;
        e->replications = FEW;
        j->parts = 1;
        code = write_and_merge(j, &written, &few, err);
        const double few_bytes = bytes_of_parts(j);
        e->replications = all;
        if (!code) code = in_processes(j, 1, simulate_part, &simulate, err);
        if (!code) code = write_and_merge(j, &written, &one, err);
        const double further = bytes_of_parts(j) - few_bytes;
        j->parts = MANY_PARTS;
        if (!code) code = write_and_merge(j, &parts, &many, err);
        fixed[r] = 1e3 * few.cpu;
        played[r] = 1e6 * simulate.cpu / ((double)all * cells);
        packed[r] = 1e6 * (written.cpu - simulate.cpu) / ((double)all * cells);
        cell[r] = 1e6 * (one.cpu - few.cpu) / ((double)(all - FEW) * cells);
        mb[r] = 1e6 * (one.cpu - few.cpu) / further;
        part[r] = 1e3 * (many.cpu - one.cpu) / (MANY_PARTS - 1);
    }
    if (code) return code;
    print_row(b, "simulation, per cell of a replication", mk_bench_median(played, rounds), "us");
    print_row(b, "writing parts, per cell of a replication", mk_bench_median(packed, rounds), "us");
    print_row(b, "merge, fixed", mk_bench_median(fixed, rounds), "ms");
    print_row(b, "merge, per cell of a replication", mk_bench_median(cell, rounds), "us");
    print_row(b, "merge, per MB of parts", mk_bench_median(mb, rounds), "s");
    print_row(b, "merge, per further part", mk_bench_median(part, rounds), "ms");
    return MK_OK;
}

static void remove_folder(const char *folder)
{
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(all), entry->d_name, 0);
    if (all) closedir(all);
    rmdir(folder);
}

int mk_bench_shards(struct mk_bench *b, struct mk_error *err)
{
    const size_t rounds = b->rounds;
    const int most = b->threads < MOST_PARTS ? b->threads : MOST_PARTS;
    struct timing one, t;
    struct mk_load w;
    char folder[FOLDER_ROOM], text[1024];
    snprintf(text, sizeof text,
             "name: shards\n" MK_BENCH_POWER_ARMS "policies: [{name: max_ucb, alpha: {from: 0.1, to: 1, step: 0.1}}]\n"
             "horizons: [1000, 2000]\nreplications: %d\n",
             b->quick ? 1000 : 10000);
    int code = mk_scratch_folder(folder, sizeof folder, "bench", err);
    if (code) return code;
    code = mk_load_init(&w, text, MK_ENGINE_AUTO, err);
    struct job job = {w.experiment, &w.context, folder, 1};
    for (int parts = 1; parts <= most && !code; parts *= 2) {
        struct timing *now = parts == 1 ? &one : &t;
        job.parts = (uint64_t)parts;
        code = measure(&job, now, rounds, err);
        if (!code)
            print_parts(b, parts, w.pulls_per_replication * (double)w.experiment->replications, &one, now, rounds);
    }
    if (!code) code = print_serial(b, &w, &job, rounds, err);
    mk_load_clear(&w);
    remove_folder(folder);
    return code;
}
