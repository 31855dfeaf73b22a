#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/kept_certificates.h"
#include "sim/command/options.h"
#include "sim/store/journal.h"
#include "sim/store/result.h"

enum { SHOWN_NAMES = 12 };

static void print_sizes(const struct mk_result_info *i)
{
    printf("file          %s\nname          %s\ntitle         %s\nsource        %s\n", i->path, i->name, i->title,
           i->source);
    uint64_t least = i->replications;
    for (size_t n = 0; n < i->n_instances; n++)
        if (i->own_replications[n] < least) least = i->own_replications[n];
    printf("policies      %zu\narms          %zu\nreplications  ", i->n_policies, i->n_arms);
    if (least < i->replications) printf("%" PRIu64 " to ", least);
    printf("%" PRIu64 "\n", i->replications);
    printf("keep          %s\n", i->has_pulls ? "pulls" : "summary");
    printf("horizons      %zu:", i->n_horizons);
    for (size_t h = 0; h < i->n_horizons; h++) printf(" %" PRIu64, i->horizon[h]);
    printf("\ninstances     %zu:", i->n_instances);
    for (size_t n = 0; n < i->n_instances && n < SHOWN_NAMES; n++) printf(" %s", i->instance[n]);
    printf("%s\n", i->n_instances > SHOWN_NAMES ? " …" : "");
}

/* What other commands have kept next to the file. */
static int print_certificates(const char *path, struct mk_error *err)
{
    struct mk_certificate_store *s = NULL;
    int code = mk_kept_certificates_open(&s, path, err);
    if (!code && mk_certificate_store_count(s) > 0)
        printf("certificates  %zu, in %s%s\n", mk_certificate_store_count(s), path, MK_CERTIFICATES_SUFFIX);
    mk_certificate_store_free(s);
    return code;
}

static int print_arms(const struct mk_result_info *i, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    printf("\n");
    int code = mk_table_begin(&t, stdout, MK_TABLE_PLAIN, "arm,label,family,lowest,highest,parameters", err);
    for (size_t k = 0; !code && k < i->n_arms; k++) {
        mk_table_count(t, k);
        mk_table_text(t, i->arm_label[k]);
        mk_table_text(t, *i->family[k] ? i->family[k] : "recorded");
        mk_table_real(t, i->truth->support_low[k]);
        mk_table_real(t, i->truth->support_high[k]);
        mk_table_text(t, i->parameters[k]);
    }
    return mk_table_finish(t, code, err);
}

static int print_policies(const struct mk_result_info *i, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    printf("\n");
    int code = mk_table_begin(&t, stdout, MK_TABLE_PLAIN, "policy,name,engine,parameters", err);
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        mk_table_text(t, i->policy[p]);
        mk_table_text(t, i->policy_name[p]);
        mk_table_text(t, i->policy_engine[p]);
        mk_table_text(t, i->policy_parameters[p]);
    }
    return mk_table_finish(t, code, err);
}

static void add_item(void *context, const char *key, const char *value)
{
    if (strcmp(key, "experiment") == 0) return; /* many lines: --experiment */
    mk_table_text(context, key);
    mk_table_text(context, value);
}

static int print_provenance(struct mk_result *r, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    printf("\n");
    int code = mk_table_begin(&t, stdout, MK_TABLE_PLAIN, "provenance,", err);
    if (!code) code = mk_result_provenance(r, add_item, t, err);
    return mk_table_finish(t, code, err);
}

static int print_part(const char *path, int experiment, struct mk_error *err)
{
    struct mk_journal *j = NULL;
    int code = mk_journal_read(&j, path, err);
    if (code) return code;
    const struct mk_journal_head *h = mk_journal_head(j);
    if (experiment) {
        fputs(h->identity.experiment, stdout);
    } else {
        printf("file          %s\n", path);
        if (h->shard.of) printf("shard         %" PRIu64 " of %" PRIu64 "\n", h->shard.index, h->shard.of);
        printf("replications  %" PRIu64 " of %" PRIu64 " (of %" PRIu64 " in the whole run)\n",
               mk_journal_next(j) - h->first_unit, h->end_unit - h->first_unit, h->all_units);
        printf("\n%s%s%s", h->identity.program, h->identity.data, h->identity.engines);
    }
    mk_journal_free(j);
    return MK_OK;
}

int mk_cmd_info(int argc, char **argv, struct mk_error *err)
{
    struct mk_result *r = NULL;
    int experiment = 0;
    char **operands;
    size_t n_operands;
    const struct mk_usage usage = {
        "info", "FILE.h5",
        "Prints what a result file is: name, sizes, arms, policies with their parameters, and provenance (program, "
        "compiler, libraries; volatile/…: machine, date, threads, time), and how many certified bounds (one side of one "
        "arm each) other commands have kept in FILE.h5.certificates. Of a part (maxk run --shard) or the journal "
        "of an interrupted run: which shard it is and how much of it is complete.",
        1, 1};
    const struct mk_option options[] = {
        {"experiment", 0, MK_OPT_FLAG, &experiment, NULL, NULL, 1, 0,
         "print only the experiment as it was run, as YAML for maxk run"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL},
    };
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n_operands, err);
    if (code) return code;
    if (mk_journal_is(operands[0])) return print_part(operands[0], experiment, err);
    code = mk_result_open(&r, operands[0], err);
    if (code) return code;
    const struct mk_result_info *i = mk_result_info(r);
    if (experiment) {
        fputs(i->resolved, stdout);
    } else {
        print_sizes(i);
        code = print_certificates(operands[0], err);
        if (!code) code = print_arms(i, err);
        if (!code) code = print_policies(i, err);
        if (!code) code = print_provenance(r, err);
    }
    mk_result_free(r);
    return code;
}
