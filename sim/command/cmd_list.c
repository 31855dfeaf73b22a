/* maxk list, maxk describe: what the registries hold. One source for help, README and man page. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"
#include "policies/policy.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/experiments_folder.h"
#include "sim/command/list_tables.h"
#include "sim/command/options.h"
#include "sim/experiment/experiment.h"
#include "sim/problem/process.h"

#define LISTS MK_LIST_TABLES "|experiments"

static int only_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static int list_experiments(struct mk_error *err)
{
    struct dirent **entry = NULL;
    char room[MK_FOLDER_ROOM];
    const char *folder = mk_experiments_folder(room);
    int n = scandir(folder, &entry, only_yaml, alphasort);
    if (n < 0)
        return mk_fail(err, MK_EINPUT, "maxk list: %s: %s (run maxk from the checkout)", folder, strerror(errno));
    int code = MK_OK;
    for (int i = 0; i < n; i++) {
        char path[MK_FOLDER_ROOM + 256];
        struct mk_experiment *e = NULL;
        struct mk_error why;
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        int read = code ? code : mk_experiment_read(&e, path, NULL, 0, 0, &why);
        if (read == MK_OK)
            printf("%-36s %s%s%s%s\n", path, e->title, *e->source ? " [" : "", e->source, *e->source ? "]" : "");
        else if (read == MK_EINPUT)
            printf("%-36s (%s)\n", path, why.text);
        else if (!code)
            code = mk_fail(err, read, "%s", why.text);
        mk_experiment_free(e);
        free(entry[i]);
    }
    free(entry);
    return code;
}

static int no_such_list(const char *name, struct mk_error *err)
{
    char word[32], all[128], clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    const char *nearest = mk_choice_nearest(LISTS, name, word, sizeof word);
    return mk_fail(err, MK_EINPUT, "maxk list: expected one of %s; got '%s' (%s)",
                   mk_choice_list(LISTS, all, sizeof all), mk_clip(name, clip),
                   mk_hint(nearest, "see maxk list --help", hint));
}

int mk_cmd_list(int argc, char **argv, struct mk_error *err)
{
    int markdown = 0;
    const struct mk_option options[] = {
        {"markdown", 0, MK_OPT_FLAG, &markdown, NULL, NULL, 0, -1, "print a Markdown table (not for experiments)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"list", LISTS,
                                   "Lists the policies, the reward families, the curves of rising arms, the keys of "
                                   "experiment files, the commands, "
                                   "the figures, the published claims or the experiment files.",
                                   1, 1};
    char **what;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &what, &n, err);
    if (code) return code;
    if (strcmp(what[0], "experiments") == 0) return list_experiments(err);
    return mk_list_table(what[0], markdown) ? MK_OK : no_such_list(what[0], err);
}

static void describe_params(const struct mk_param *params)
{
    if (!params || mk_param_count(params) == 0) return;
    printf("\nparameters:\n");
    for (const struct mk_param *p = params; p->name; p++) {
        char range[256], def[64], shown[96];
        mk_param_range(p, range, sizeof range);
        if (p->flags & MK_REQUIRED)
            snprintf(shown, sizeof shown, "required");
        else if (p->flags & MK_OPTIONAL)
            snprintf(shown, sizeof shown, "optional");
        else
            snprintf(shown, sizeof shown, "default %s", mk_param_format(p, p->def, def, sizeof def));
        printf("  %-16s %s; %s; %s\n", p->name, p->help, range, shown);
    }
}

static void describe_policy(const struct mk_policy_type *p)
{
    printf("%s: %s\n\n  %s\n\n", p->name, p->summary, p->formula);
    printf("source:      %s\nkind:        %s, %s, %s\ncost:        %s per pull\n", p->reference,
           mk_policy_kind_name(p->kind),
           p->flags & MK_POLICY_NEEDS_HORIZON ? "needs the horizon (run once per horizon)" : "anytime",
           p->flags & MK_POLICY_RANDOM_TIES ? "deterministic (ties=random: randomised)" : mk_policy_randomness(p),
           p->cost);
    printf("engines:     per-pull%s%s\n", p->play_records ? ", record" : "",
           p->no_records ? " (not for all parameter values)" : "");
    if (*p->departures) printf("departures:  %s\n", p->departures);
    describe_params(p->params);
}

static void describe_family(const struct mk_dist_type *d)
{
    printf("%s: %s\n\n  %s\n\nsource:      %s\natoms:       %s\nE[M(n)]:     %s\n", d->name, d->summary, d->formula,
           d->reference,
           d->flags & MK_DIST_ATOMS                                   ? "may have point masses"
           : d->params && mk_param_find(d->params, "components") >= 0 ? "those of its components"
                                                                      : "none",
           d->expected_max ? "closed form" : "adaptive quadrature");
    describe_params(d->params);
}

static void describe_curve(const struct mk_process_curve *c)
{
    printf("%s: curve of a rising arm, %s\n\n  %s\n\nsource:      %s\nin:          problem: {processes: [{curve: %s, "
           "…}]}\n",
           c->name, c->summary, c->formula, c->reference, c->name);
    describe_params(c->params);
}

/* Everything that can be described. */
static const char *described(size_t i)
{
    size_t policies = mk_policy_type_count(), families = mk_dist_type_count();
    if (i < policies) return mk_policy_type_at(i)->name;
    i -= policies;
    if (i < families) return mk_dist_type_at(i)->name;
    i -= families;
    return i < mk_process_curve_count() ? mk_process_curve_at(i)->name : NULL;
}

static const char *summary_of(const char *name)
{
    const struct mk_policy_type *policy = mk_policy_type_find(name);
    const struct mk_dist_type *family = mk_dist_type_find(name);
    return policy ? policy->summary : family ? family->summary : mk_process_curve_find(name)->summary;
}

/* A name like it, or else the shortest summary that has the word: `normal` for the family gaussian. */
static int no_such_name(const char *name, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    size_t n = 0;
    while (described(n)) n++;
    const char **names = malloc(n * sizeof *names);
    if (!names) return mk_fail_memory(err, "names");
    for (size_t i = 0; i < n; i++) names[i] = described(i);
    const char *alike = mk_nearest(name, names, n), *nearest = alike;
    for (size_t i = 0; !alike && strlen(name) >= 4 && i < n; i++)
        if (strcasestr(summary_of(names[i]), name) &&
            (!nearest || strlen(summary_of(names[i])) < strlen(summary_of(nearest))))
            nearest = names[i];
    free(names);
    return mk_fail(err, MK_EINPUT, "maxk describe: %s: no such policy, reward family or curve (%s)",
                   mk_clip(name, clip), mk_hint(nearest, "see maxk list --help", hint));
}

int mk_cmd_describe(int argc, char **argv, struct mk_error *err)
{
    const struct mk_usage usage = {"describe", "NAME",
                                   "Describes a policy, a reward family or a curve: formula, source, parameters with "
                                   "their defaults and ranges, known departures from the publication.",
                                   1, 1};
    char **name;
    size_t n;
    int code = mk_options_parse_named(&usage, NULL, described, argc, argv, &name, &n, err);
    if (code) return code;
    const struct mk_policy_type *policy = mk_policy_type_find(name[0]);
    const struct mk_dist_type *family = mk_dist_type_find(name[0]);
    const struct mk_process_curve *curve = mk_process_curve_find(name[0]);
    if (policy) describe_policy(policy);
    if (policy && family) printf("\n");
    if (family) describe_family(family);
    if (curve && (policy || family)) printf("\n");
    if (curve) describe_curve(curve);
    if (policy || family || curve) return MK_OK;
    return no_such_name(name[0], err);
}
