/* What a result is about: its arms, policies, horizons and provenance as tables, and what `maxk info` prints of it; or
 * how much of a run a part or a journal has. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/result_tables.h"
#include "sim/base/error.h"
#include "sim/run/store/journal.h"

/* ---- parts of a result ---- */

#define PROBLEM(X)                                                                                                     \
    X(P_INSTANCE, "instance", TEXT, "", "instance of the problem")                                                     \
    X(P_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                               \
    X(P_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                            \
    X(P_LABEL, "arm_label", TEXT, "", "label of the arm")                                                              \
    X(P_FAMILY, "family", TEXT, "", "family of its rewards; empty for recorded ones")                                  \
    X(P_PARAMETERS, "parameters", TEXT, "", "parameters of the family, YAML")                                          \
    X(P_LOW, "support_low", REAL, "rewards", "lower end point of its rewards")                                         \
    X(P_HIGH, "support_high", REAL, "rewards", "upper end point of its rewards")                                       \
    X(P_MAX, "expected_max", REAL, "rewards", "E[M(T)], the expected largest of T rewards")                            \
    X(P_GAP, "gap", REAL, "rewards", "suboptimality gap E[M*(T)] - E[M(T)]")                                           \
    X(P_OPTIMAL, "optimal", FLAG, "", "whether the arm is the best one at this horizon")
MK_TABLE_COLUMNS(problem_columns, PROBLEM);

static void add_arm_at(struct mk_table *t, const struct mk_result_info *i, size_t instance, size_t h, size_t k)
{
    const struct mk_truth *f = i->truth;
    const size_t cell = mk_truth_at(f, instance, h, k);
    if (isnan(f->expected_max[cell])) return; /* the instance lacks the arm */
    mk_table_set_text(t, P_INSTANCE, i->instance[instance]);
    mk_table_set_number(t, P_HORIZON, mk_result_amount(i, h));
    mk_table_set_count(t, P_ARM, k);
    mk_table_set_text(t, P_LABEL, i->arm_label[k]);
    mk_table_set_text(t, P_FAMILY, i->family[k]);
    mk_table_set_text(t, P_PARAMETERS, i->parameters[k]);
    mk_table_set_real(t, P_LOW, f->support_low[k]);
    mk_table_set_real(t, P_HIGH, f->support_high[k]);
    mk_table_set_real(t, P_MAX, f->expected_max[cell]);
    mk_table_set_real(t, P_GAP, f->gap[cell]);
    mk_table_set_flag(t, P_OPTIMAL, k == mk_truth_best(f, instance, h));
    mk_table_end_row(t);
}

static int problem_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t n = 0; n < i->n_instances; n++)
        for (size_t h = 0; h < i->n_horizons; h++)
            for (size_t k = 0; k < i->n_arms; k++) add_arm_at(t, i, n, h, k);
    return MK_OK;
}

MK_RESULT_TABLE(problem, "arms of a result, with what is known of them",
                "Family, parameters, end points, expected maximum and gap of every arm, per instance and horizon.",
                mk_table_always);

#define POLICIES(X)                                                                                                    \
    X(R_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(R_NAME, "name", TEXT, "", "its name, as in `maxk list policies`")                                                \
    X(R_PARAMETERS, "parameters", TEXT, "", "its parameters, YAML")                                                    \
    X(R_ENGINE, "engine", TEXT, "", "the engine that simulated it: per-pull or record")
MK_TABLE_COLUMNS(policies_columns, POLICIES);

static int policies_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t p = 0; p < i->n_policies; p++) {
        mk_table_set_text(t, R_POLICY, i->policy[p]);
        mk_table_set_text(t, R_NAME, i->policy_name[p]);
        mk_table_set_text(t, R_PARAMETERS, i->policy_parameters[p]);
        mk_table_set_text(t, R_ENGINE, i->policy_engine[p]);
        mk_table_end_row(t);
    }
    return MK_OK;
}

static const struct mk_table_view policies_view[] = {
    {R_POLICY, "", NULL}, {R_NAME, "", NULL}, {R_ENGINE, "", NULL}, {R_PARAMETERS, "", NULL}, MK_TABLE_VIEW_END};

MK_RESULT_TABLE_SEEN(policies, "policies of a result", "Name, parameters and engine of every policy.", mk_table_always,
                     policies_view);

static const struct mk_column horizons_columns[] = {{"horizon", MK_COLUMN_COUNT, "pulls", "horizon T, ascending"}};

static int horizons_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t h = 0; h < i->n_horizons; h++) {
        mk_table_set_number(t, 0, mk_result_amount(i, h));
        mk_table_end_row(t);
    }
    return MK_OK;
}

MK_RESULT_TABLE(horizons, "horizons of a result", "The horizons, ascending.", mk_table_always);

#define PROVENANCE(X)                                                                                                  \
    X(KEY, "key", TEXT, "", "what is stated; volatile/… may differ between equal runs")                                \
    X(VALUE, "value", TEXT, "", "as it was when the run was made")
MK_TABLE_COLUMNS(provenance_columns, PROVENANCE);

static void add_item(void *context, const char *key, const char *value)
{
    if (strcmp(key, "experiment") == 0) return; /* a file of its own */
    mk_table_set_text(context, KEY, key);
    mk_table_set_text(context, VALUE, value);
    mk_table_end_row(context);
}

static int provenance_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return mk_result_provenance(r, add_item, t, err);
}

MK_RESULT_TABLE(provenance, "where a result comes from",
                "Program, revision, libraries, machine, command and digests of the inputs of a run.", mk_table_always);

/* ---- maxk info ---- */

struct info_options {
    int experiment; /* in place of everything else */
};

enum { SHOWN_NAMES = 12 };

#define ITEMS(X)                                                                                                       \
    X(ITEM, "item", TEXT, "", "what is stated: file, name, title, source, sizes")                                      \
    X(STATED, "value", TEXT, "", "its value, as text")
MK_TABLE_COLUMNS(item_columns, ITEMS);
static const struct mk_table_schema item_schema = {
    .title = "what a result is", .column = item_columns, .n_columns = 2, .bare = true};

#define ARMS(X)                                                                                                        \
    X(A_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                            \
    X(A_LABEL, "label", TEXT, "", "its label")                                                                         \
    X(A_FAMILY, "family", TEXT, "", "family of its rewards, or recorded")                                              \
    X(A_LOWEST, "lowest", REAL, "rewards", "lower end point of its rewards")                                           \
    X(A_HIGHEST, "highest", REAL, "rewards", "upper end point of its rewards")                                         \
    X(A_PARAMETERS, "parameters", TEXT, "", "parameters of the family, YAML")
MK_TABLE_COLUMNS(arm_columns, ARMS);
static const struct mk_table_schema arm_schema = MK_TABLE_SCHEMA("arms of a result", arm_columns, NULL);

static const struct mk_column line_columns[] = {{"line", MK_COLUMN_TEXT, "", "a line of the experiment, YAML"}};
static const struct mk_table_schema line_schema = {
    .title = "the experiment (--experiment)", .column = line_columns, .n_columns = 1, .bare = true};

/* A row of items: name and text. */
#define ADD_FACT(t, name, ...)                                                                                         \
    (mk_table_set_text(t, ITEM, name), mk_table_format_text(t, STATED, __VA_ARGS__), mk_table_end_row(t))

/* Ends the text that `to` (NULL: no memory) collects, and states it. */
static int add_list(struct mk_table *t, const char *name, size_t n, FILE *to, char **text, struct mk_error *err)
{
    int code = to && !fclose(to) ? MK_OK : mk_fail_memory(err, "a table");
    if (!code) ADD_FACT(t, name, "%zu:%s", n, *text);
    free(*text);
    *text = NULL;
    return code;
}

/* The horizons, then the instances: their number and the first of them. */
static int add_lists(struct mk_table *t, const struct mk_result_info *i, struct mk_error *err)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    for (size_t h = 0; to && h < i->n_horizons; h++) fprintf(to, " %.15g", mk_result_amount(i, h));
    if (to && i->by_cost) fputs(" (costs)", to);
    int code = add_list(t, "horizons", i->n_horizons, to, &text, err);
    if (code) return code;
    to = open_memstream(&text, &length);
    for (size_t n = 0; to && n < i->n_instances && n < SHOWN_NAMES; n++) fprintf(to, " %s", i->instance[n]);
    if (to && i->n_instances > SHOWN_NAMES) fputs(" …", to);
    return add_list(t, "instances", i->n_instances, to, &text, err);
}

/* The share of pulls past the recorded ends, of the horizons that have some. */
static int add_repeated(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    char *text = NULL;
    size_t length, some = 0;
    int code = MK_OK;
    if (!i->has_repeated) return MK_OK;
    FILE *to = open_memstream(&text, &length);
    for (size_t h = 0; to && !code && h < i->n_horizons; h++) {
        double share = 0;
        code = mk_result_repeated_share(r, NULL, h, &share, err);
        if (!code && share > 0)
            fprintf(to, "%s%.3g %% at T = %" PRIu64, some++ ? ", " : "", 100 * share, i->horizon[h]);
    }
    if (!to || fclose(to)) code = code ? code : mk_fail_memory(err, "a table");
    if (!code) ADD_FACT(t, "repeated pulls", "%s", some ? text : "none");
    free(text);
    return code;
}

static int add_facts(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_certificate_store *s = NULL;
    uint64_t least = i->replications;
    for (size_t n = 0; n < i->n_instances; n++)
        if (i->own_replications[n] < least) least = i->own_replications[n];
    ADD_FACT(t, "file", "%s", i->path);
    ADD_FACT(t, "name", "%s", i->name);
    ADD_FACT(t, "title", "%s", i->title);
    ADD_FACT(t, "source", "%s", i->source);
    ADD_FACT(t, "policies", "%zu", i->n_policies);
    ADD_FACT(t, "arms", "%zu", i->n_arms);
    if (least < i->replications)
        ADD_FACT(t, "replications", "%" PRIu64 " to %" PRIu64, least, i->replications);
    else
        ADD_FACT(t, "replications", "%" PRIu64, i->replications);
    ADD_FACT(t, "keep", "%s", i->has_pulls ? "pulls" : "summary");
    int code = add_lists(t, i, err);
    if (!code) code = add_repeated(t, r, err);
    if (!code) code = mk_table_certificates_open(&s, t, i->path, err);
    if (!code && mk_certificate_store_count(s) > 0) /* what other commands have kept next to the file */
        ADD_FACT(t, "certificates", "%zu, in %s%s", mk_certificate_store_count(s), i->path, MK_CERTIFICATES_SUFFIX);
    mk_certificate_store_free(s);
    return code;
}

static int append_arms(struct mk_table *to, const struct mk_result_info *i, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &arm_schema, err);
    if (code) return code;
    mk_table_append(to, t);
    for (size_t k = 0; k < i->n_arms; k++) {
        mk_table_set_count(t, A_ARM, k);
        mk_table_set_text(t, A_LABEL, i->arm_label[k]);
        mk_table_set_text(t, A_FAMILY, *i->family[k] ? i->family[k] : "recorded");
        mk_table_set_real(t, A_LOWEST, i->truth->support_low[k]);
        mk_table_set_real(t, A_HIGHEST, i->truth->support_high[k]);
        mk_table_set_text(t, A_PARAMETERS, i->parameters[k]);
        mk_table_end_row(t);
    }
    return MK_OK;
}

static int append_made(struct mk_table *to, const struct mk_table_type *type, struct mk_result *r, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = type->make(&t, &(struct mk_table_call){.result = r}, err);
    mk_table_append(to, t);
    return code;
}

/* The experiment, line by line. */
static int make_lines(struct mk_table **t, const char *experiment, struct mk_error *err)
{
    int code = mk_table_new(t, &line_schema, err);
    while (!code && *experiment) {
        const size_t length = strcspn(experiment, "\n");
        char *line = strndup(experiment, length);
        if (!line) return mk_fail_memory(err, "a table");
        mk_table_set_text(*t, 0, line);
        mk_table_end_row(*t);
        free(line);
        experiment += length + (experiment[length] == '\n');
    }
    return code;
}

static int make_of_result(struct mk_table **t, struct mk_result *r, const struct mk_table_call *call, bool experiment,
                          struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    if (experiment) return make_lines(t, i->resolved, err);
    int code = mk_table_new(t, &item_schema, err);
    if (!code) code = add_facts(*t, r, err);
    if (code || !call->further) return code;
    code = append_arms(*t, i, err);
    if (!code) code = append_made(*t, &mk_table_policies, r, err);
    return code ? code : append_made(*t, &mk_table_provenance, r, err);
}

/* How much of what there is in a journal or a part. */
static int make_of_part(struct mk_table **t, const char *path, bool experiment, struct mk_error *err)
{
    struct mk_journal *j = NULL;
    int code = mk_journal_read(&j, path, err);
    const struct mk_journal_head *h = code ? NULL : mk_journal_head(j);
    if (!code && experiment) code = make_lines(t, h->identity.experiment, err);
    if (!code && !experiment) code = mk_table_new(t, &item_schema, err);
    if (!code && !experiment) {
        ADD_FACT(*t, "file", "%s", path);
        if (h->shard.of) ADD_FACT(*t, "shard", "%" PRIu64 " of %" PRIu64, h->shard.index, h->shard.of);
        ADD_FACT(*t, "replications", "%" PRIu64 " of %" PRIu64 " (of %" PRIu64 " in the whole run)",
                 mk_journal_next(j) - h->first_unit, h->end_unit - h->first_unit, h->all_units);
        const size_t last = strlen(h->identity.engines);
        mk_table_add_note(*t, "%s%s%.*s", h->identity.program, h->identity.data,
                          (int)(last && h->identity.engines[last - 1] == '\n' ? last - 1 : last), h->identity.engines);
    }
    mk_journal_free(j);
    return code;
}

static int make_info(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct info_options *o = call->options;
    struct mk_result *own = NULL;
    struct mk_table *t = NULL;
    int code;
    if (!call->result && mk_journal_is(call->input[0])) {
        code = make_of_part(&t, call->input[0], o->experiment, err);
    } else {
        code = call->result ? MK_OK : mk_result_open(&own, call->input[0], err);
        if (!code) code = make_of_result(&t, call->result ? call->result : own, call, o->experiment, err);
    }
    mk_result_free(own);
    return mk_table_made(out, t, code, err);
}

static const struct info_options defaults = {0};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct info_options, experiment, "experiment", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                    "print only the experiment as it was run, as YAML for maxk run"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_info = {
    .usage =
        {"info", "FILE.h5",
         "Prints what a file contains and where it comes from. For a result these are its name and sizes, the arms, "
         "the policies with their parameters, and the provenance: program, compiler and libraries, and under "
         "volatile/… the machine, date, threads and seconds of this run. If other commands have kept certified bounds "
         "in FILE.h5.certificates, their number is printed too (a bound is one side for one arm).\n\nFor a part (maxk "
         "run --shard) or the journal of an interrupted run, the command prints which shard it is and how much of it "
         "is complete.",
         1, 1},
    .group = "Results",
    .summary = "what a result file holds and where it comes from",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&item_schema, &arm_schema, &policies_schema, &provenance_schema, &line_schema),
    .inapplicable = mk_table_always,
    .make = make_info};
