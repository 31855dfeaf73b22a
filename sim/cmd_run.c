/* maxk run: simulate an experiment and write its result file. */
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/command.h"
#include "sim/options.h"
#include "sim/rare.h"
#include "sim/run.h"

static void on_signal(int number)
{
    (void)number;
    mk_run_stop();
}

static int write_block(void *writer, const struct mk_block *block, struct mk_error *err)
{
    return mk_writer_block(writer, block, err);
}

/* argv as one line, for the provenance; malloc'ed. */
static char *command_line(int argc, char **argv)
{
    size_t room = sizeof "maxk";
    for (int i = 0; i < argc; i++) room += strlen(argv[i]) + 1;
    char *line = malloc(room);
    if (!line) return NULL;
    char *at = stpcpy(line, "maxk");
    for (int i = 0; i < argc; i++) {
        *at++ = ' ';
        at = stpcpy(at, argv[i]);
    }
    return line;
}

static double pulls_per_unit(const struct mk_experiment *e)
{
    double pulls = 0, all = 0;
    for (size_t h = 0; h < e->n_horizons; h++) all += (double)e->horizon[h];
    for (size_t i = 0; i < e->n_entries; i++)
        pulls += e->entry[i].type->flags & MK_POLICY_NEEDS_HORIZON ? all : (double)e->horizon[e->n_horizons - 1];
    return pulls;
}

/* The rare-event estimates of every policy, where the experiment asks for them. */
static int rare_events(const struct mk_experiment *e, const struct mk_facts *facts, struct mk_writer *writer,
                       int threads, int quiet, struct mk_error *err)
{
    struct mk_progress progress;
    int code = MK_OK;
    if (!e->rare_events) return MK_OK;
    mk_progress_start(&progress, "rare events", e->rare_events * e->n_entries, pulls_per_unit(e) / (double)e->n_entries,
                      quiet);
    for (size_t i = 0; i < e->n_entries && !code; i++) {
        struct mk_rare *rare = NULL;
        code = mk_rare_run(&rare, e, facts, i, threads, &progress, err);
        if (!code) code = mk_writer_rare(writer, i, rare, err);
        mk_rare_free(rare);
    }
    double seconds = mk_progress_end(&progress);
    if (!code && !quiet)
        printf("rare events: %llu weighted replications of every policy in %.2f s\n",
               (unsigned long long)e->rare_events, seconds);
    return code;
}

static int simulate(const struct mk_experiment *e, const char *path, enum mk_engine choice, int threads, int quiet,
                    const char *line, struct mk_error *err)
{
    struct mk_facts *facts = NULL;
    struct mk_run_context context = {0};
    struct mk_writer *writer = NULL;
    struct mk_progress progress;
    const char **engine = calloc(e->n_entries, sizeof *engine);
    double units = (double)e->replications * (double)e->problem->n_instances;
    int code = engine ? mk_facts_new(&facts, e->problem, e->horizon, e->n_horizons, e->replications, err)
                      : mk_fail_memory(err, "the run");
    if (code) goto out;
    code = mk_run_context_init(&context, e, facts, err);
    if (!code) code = mk_run_choose(&context, choice, err);
    if (code) goto out;
    for (size_t i = 0; i < e->n_entries; i++) engine[i] = mk_run_engine_name(&context, i);
    code = mk_writer_open(&writer, path, e, facts, engine, err);
    if (code) goto out;
    mk_progress_start(&progress, e->name, (uint64_t)units, pulls_per_unit(e), quiet);
    code = mk_run(&context, threads, write_block, writer, &progress, err);
    double seconds = mk_progress_end(&progress);
    if (!code) code = rare_events(e, facts, writer, threads, quiet, err);
    if (code) goto out;
    struct mk_volatile v = {line, threads, seconds};
    code = mk_writer_commit(writer, &v, err);
    if (!code && !quiet)
        printf("%s: %zu policies, %zu instances, %llu replications, %.3g pulls in %.2f s (%.1f M/s, %d threads)\n", path,
               e->n_entries, e->problem->n_instances, (unsigned long long)e->replications, units * pulls_per_unit(e),
               seconds, 1e-6 * units * pulls_per_unit(e) / seconds, threads);
out:
    mk_writer_free(writer);
    mk_run_context_clear(&context);
    mk_facts_free(facts);
    free(engine);
    return code;
}

int mk_cmd_run(int argc, char **argv, struct mk_error *err)
{
    struct mk_texts sets = {0, NULL};
    const char *out = NULL;
    uint64_t threads = (uint64_t)omp_get_max_threads();
    int quiet = 0, engine = 0;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &out, "OUT.h5", NULL, 0, -1, "result file (default: results/<name>.h5)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1, "override a key (dotted path, YAML value); may be repeated"},
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096, "threads (default: all cores)"},
        {"engine", 0, MK_OPT_CHOICE, &engine, "NAME", MK_ENGINE_CHOICES, 0, -1, "which engine simulates"},
        {"quiet", 'q', MK_OPT_FLAG, &quiet, NULL, NULL, 0, -1, "print nothing but errors"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "run", "EXPERIMENT.yaml",
        "Simulates the policies of an experiment file on its problem and writes one result file (HDF5).\n"
        "The file appears complete or not at all; equal experiments give equal results for any number of threads.\n\n"
        "Engines: per-pull draws every reward; record draws only the rewards that raise an arm's maximum and jumps from one\n"
        "to the next, for policies that use nothing else, with the same law. auto (the default) takes record where the\n"
        "largest horizon is at least 100000 and the policy and problem allow it.",
        1, 1};
    char **operand, path[4096], *line = command_line(argc, argv);
    size_t n;
    struct mk_experiment *e = NULL;
    int code = line ? mk_options_parse(&usage, options, argc, argv, &operand, &n, err) : mk_fail_memory(err, "the run");
    if (code) goto done;
    code = mk_experiment_read(&e, operand[0], sets.text, sets.n, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    if (code) goto done;
    if (!out && mkdir("results", 0777) && errno != EEXIST) {
        code = mk_fail(err, MK_EINPUT, "results: cannot be made: %s", strerror(errno));
        goto done;
    }
    snprintf(path, sizeof path, out ? "%s" : "results/%s.h5", out ? out : e->name);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    code = simulate(e, path, (enum mk_engine)engine, (int)threads, quiet, line, err);
done:
    mk_experiment_free(e);
    free(sets.text);
    free(line);
    return code;
}
