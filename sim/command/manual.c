/* The man page of maxk (section 1), in the roff macros of man(7). */
#include <stdint.h>
#include <string.h>

#include "distributions/dist.h"
#include "distributions/objectives/objective.h"
#include "policies/optimizers/optimizer.h"
#include "policies/policy.h"
#include "sim/api/maxk/maxk.h"
#include "sim/build/revision.h"
#include "sim/command/help.h"
#include "sim/experiment/file_keys.h"
#include "sim/problem/process.h"
#include "sim/space/space_read.h"

/* The code point at *s, which moves past it; bytes that are not UTF-8 are passed through. */
static uint32_t next_character(const unsigned char **s)
{
    uint32_t c = *(*s)++;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    if (more) c &= 0x3fu >> more;
    for (; more > 0 && (**s & 0xc0) == 0x80; more--) c = c << 6 | (*(*s)++ & 0x3fu);
    return c;
}

/* n bytes of text, escaped for roff: a request begins with . or ' at the start of a line. */
static void put_bytes(FILE *to, const char *text, size_t n)
{
    static const struct {
        char plain;
        const char *roff;
    } special[] = {{'\\', "\\(rs"}, {'-', "\\-"},   {'`', "\\(ga"}, {'\'', "\\(aq"},
                   {'^', "\\(ha"},  {'~', "\\(ti"}, {'"', "\\(dq"}};
    int start = 1;
    for (const unsigned char *s = (const unsigned char *)text, *end = s + n; s < end;) {
        uint32_t c = next_character(&s);
        const char *roff = NULL;
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            if (c == (uint32_t)special[i].plain) roff = special[i].roff;
        if (start && c == '.') fputs("\\&", to);
        if (roff)
            fputs(roff, to);
        else if (c >= 0x80)
            fprintf(to, "\\[u%04X]", (unsigned)c);
        else
            fputc((int)c, to);
        start = c == '\n';
    }
}

static void put(FILE *to, const char *text)
{
    put_bytes(to, text, strlen(text));
}

/* The texts of sim/table/option.h: paragraphs, items, lines that are not filled. */
static void put_paragraphs(FILE *to, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n"), term = mk_usage_term(at, n);
        if (term) {
            fputs(".TP\n\\fB", to);
            put_bytes(to, at + 2, term - 2);
            fputs("\\fR\n", to);
            put_bytes(to, at + term + 2, n - term - 2);
            fputc('\n', to);
        } else if (*at == ' ') {
            fputs(".nf\n", to);
            put_bytes(to, at, n);
            fputs("\n.fi\n", to);
        } else if (n) {
            put_bytes(to, at, n);
            fputc('\n', to);
        } else if (!mk_usage_term(at + 1, strcspn(at + 1, "\n"))) {
            fputs(".PP\n", to);
        }
        at += n + (at[n] == '\n');
    }
}

/* A paragraph with the hanging term `term` in the given font (B or I). */
static void put_item(FILE *to, char font, const char *term, const char *text)
{
    fprintf(to, ".TP\n\\f%c", font);
    put(to, term);
    fputs("\\fR\n", to);
    put(to, text);
    fputc('\n', to);
}

static void put_choices(FILE *to, const char *choices)
{
    fputs("(one of ", to);
    for (const char *at = choices; *at;) {
        char word[64];
        size_t n = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        fputs("\\fB", to);
        put(to, word);
        at += n + (at[n] == '|');
        fputs(*at ? "\\fR, " : "\\fR", to);
    }
    fputs(")\n", to);
}

static void put_option(FILE *to, const struct mk_option *o)
{
    fputs(".TP\n", to);
    if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", to);
    put(to, o->name);
    fputs("\\fR", to);
    if (o->arg) {
        fputs(" \\fI", to);
        put(to, o->arg);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    put(to, o->help);
    fputc('\n', to);
    if (o->choices) put_choices(to, o->choices);
}

void mk_manual_command(const struct mk_help *h, FILE *to)
{
    const struct mk_usage *u = h->usage;
    fprintf(to, ".na\n.SS maxk %s ", u->command);                 /* long headings are not adjusted */
    for (const char *at = u->operands ? u->operands : ""; *at;) { /* a line may be broken after "|" */
        const size_t n = strcspn(at, "|"), bar = at[n] == '|';
        put_bytes(to, at, n + bar);
        if (bar) fputs("\\:", to);
        at += n + bar;
    }
    fputs(" [option]\\[u2026]\n.ad\n", to);
    put_paragraphs(to, u->text);
    for (const struct mk_option *o = h->options; o && o->name; o++) put_option(to, o);
}

void mk_manual_begin(FILE *to)
{
    fprintf(to, ".\\\" Written by `maxk --help=man`.\n.TH MAXK 1 \"%s\" \"maxk ", MK_DATE);
    put(to, mk_version());
    fputs("\" \"User Commands\"\n"
          ".SH NAME\nmaxk \\- a laboratory for max\\-K\\-armed (extreme) bandits\n"
          ".SH SYNOPSIS\n.B maxk\n.I COMMAND\n[operand]\\[u2026] [option]\\[u2026]\n.br\n"
          ".B maxk help\n.RI [ COMMAND ]\n.br\n.B maxk\n.RI [ COMMAND ]\n.BR \\-\\-help [=\\fIFORM\\fR]\n"
          ".br\n.B maxk \\-\\-version\n"
          ".SH DESCRIPTION\n",
          to);
    put_paragraphs(
        to,
        "K arms, a budget of T pulls, and only the single largest reward counts. maxk simulates policies for this "
        "problem on arms with known distributions, on arms whose rewards change with the number of pulls, and on "
        "recorded runs, and compares the theory about them with what is observed: survival functions, the constants "
        "L and U, suboptimality gaps, bounds on pulls and regret.\n\n"
        "An experiment is one YAML file, a result one HDF5 file. Equal experiments give equal results, bit for bit, "
        "for any number of threads, ranks and shards.\n\n"
        "Options and operands may be given in any order. Numbers may be written as 1e6 or 2^20.");
    fputs(
        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR[=\\fIFORM\\fR]\n"
        "help on the program or on one command: \\fBtext\\fR (the default), this page (\\fBman\\fR), or a completion\n"
        "script for \\fBbash\\fR, \\fBzsh\\fR or \\fBfish\\fR\n"
        ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nthe version of the program\n.SH COMMANDS\n",
        to);
}

static void put_keys(FILE *to, size_t from, size_t end)
{
    char text[MK_FILE_KEY_ROOM];
    for (size_t m = from; m < end; m++) {
        if (m == from || strcmp(mk_file_keys[m].what, mk_file_keys[m - 1].what) != 0)
            fprintf(to, ".SS Keys of %s\n", mk_file_keys[m].what);
        for (const struct mk_param *key = mk_file_keys[m].param; key->name; key++)
            put_item(to, 'B', key->name, mk_file_key_text(key, text));
    }
}

static void experiment_files(FILE *to)
{
    fputs(".SH EXPERIMENT FILES\n", to);
    put_paragraphs(
        to,
        "An experiment file is a YAML mapping. Paths in it are looked up from the working directory first, then "
        "from the folder of the file. Unknown keys and values out of range are rejected with their line and column.");
    put_keys(to, MK_IN_EXPERIMENT, MK_DOCUMENTED_MAPPINGS);
}

static void tune_files(FILE *to)
{
    fputs(".SH TUNE FILES\n", to);
    put_paragraphs(to, "The file of `maxk tune` is a YAML mapping, too, with a policy that chooses among programs, the "
                       "arms, whose hyperparameters an optimiser chooses. Of the keys command, shell and worker it has "
                       "one, or every arm has its own.");
    put_keys(to, 0, MK_TUNE_MAPPINGS);
    fputs(".SH SEARCH SPACES\n", to);
    put_paragraphs(to,
                   "A search space is a mapping of names to hyperparameters, each a mapping with one of the first six "
                   "keys. The key `forbid` of a space is a list of {NAME: value}, combinations that are not tried.");
    for (const struct mk_space_key *key = mk_space_keys; key->name; key++) {
        char of[128], help[512];
        snprintf(help, sizeof help, "%s%s%s", key->forms ? "of " : "",
                 key->forms ? mk_space_key_forms(key, of, sizeof of) : "", key->forms ? ": " : "");
        snprintf(help + strlen(help), sizeof help - strlen(help), "%s", key->help);
        put_item(to, 'B', key->name, help);
    }
}

static const struct {
    const char *title, *text;
} topics[] = {
    {"RECORDED RUNS",
     "problem: {trajectories: FILE.csv} replays recorded rewards; lu, survey, survival and figures read such a file "
     "directly, and \"-\" is standard input. The file, plain or gzip, is separated by commas, semicolons or tabs; its "
     "columns, in any order and any case, further ones ignored, are those below, or what columns or --columns calls "
     "them.\n\n"
     "  instance, repetition, iteration  iterations count from 0 or 1; repetitions are numbers or texts\n"
     "  arm  or arm_index: arms are then named after the column classifier, and an index below 0 is a combined search "
     "over all arms, carried along as a policy\n"
     "  reward  is maximised; or loss: the reward is -loss\n"
     "  cost  (> 0, optional) of each pull\n\n"
     "Repetitions are the replications; by default every instance has those that all of its arms have. The rules "
     "missing, holes and ends_early say what happens to gaps; what they drop or fill in is printed and kept in the "
     "result. Rewards that are duplicated or not finite are always refused, with their line. More than 64 MB of rewards are kept in an unlinked temporary file."},
    {"LONG RUNS",
     "Finished blocks of a run go to a journal next to the result. A run that is killed, stopped or out of disk space "
     "loses at most the current block; the same command with --resume continues, and the result is the same bit for "
     "bit. An earlier result of a different run at the same path is kept as PATH.previous; with --force it is "
     "replaced. --shard I/N simulates one part of N, merge combines the parts. A run that may need more memory than is "
     "available is refused before it starts, with the estimate."},
    {"RESULT FILES",
     "HDF5 with named dimensions, units and descriptions; HDF5 tools, h5py, xarray and R read it:\n\n"
     "  /coords  instance, horizon, replication, arm, quantile\n"
     "  /problem  labels, families and supports of the arms; expected_max and gap [instance, horizon, "
     "arm], optimal_arm\n"
     "  /policies/LABEL  pulls [instance, horizon, replication, arm], max_reward [instance, horizon, replication], "
     "and their statistics in summary; with keep: summary the statistics alone\n"
     "  /parameters  policy, the labels, and along it every parameter that differs among policies of one name\n"
     "  /provenance  the resolved experiment, revision, compiler, libraries; in volatile host, date, threads, seconds, "
     "the only part in which two files of one run differ"},
    {"LIMITS",
     "Horizons, replications and seed: 2^53. 10,000 policies after sweeps, 10,000 horizons, 100 claims, 10^6 arms and "
     "instances. Labels and names: 100 bytes; titles and paths: 4096. Experiment files: 64 MiB, 4 million values, 64 "
     "levels, no anchors or tags. CSV rows: 1 MiB, 4096 columns."},
};

static void registries(FILE *to)
{
    fputs(".SH POLICIES\n\\fBmaxk describe\\fR \\fINAME\\fR shows formula, parameters and source of each.\n", to);
    for (size_t i = 0; i < mk_policy_type_count(); i++)
        put_item(to, 'B', mk_policy_type_at(i)->name, mk_policy_type_at(i)->summary);
    fputs(".SH REWARD FAMILIES\n", to);
    for (size_t i = 0; i < mk_dist_type_count(); i++)
        if (!(mk_dist_type_at(i)->flags & MK_DIST_WRAPPER))
            put_item(to, 'B', mk_dist_type_at(i)->name, mk_dist_type_at(i)->summary);
    fputs(".SH CURVES\nFor \\fBproblem: processes\\fR.\n", to);
    for (size_t i = 0; i < mk_process_curve_count(); i++)
        put_item(to, 'B', mk_process_curve_at(i)->name, mk_process_curve_at(i)->summary);
    fputs(".SH OPTIMISERS\nFor \\fBproblem: searches\\fR and \\fBcombined\\fR.\n", to);
    for (size_t i = 0; i < mk_optimizer_type_count(); i++)
        put_item(to, 'B', mk_optimizer_type_at(i)->name, mk_optimizer_type_at(i)->summary);
    fputs(".SH OBJECTIVES\nFor \\fBproblem: searches\\fR.\n", to);
    for (size_t i = 0; i < mk_objective_type_count(); i++)
        put_item(to, 'B', mk_objective_type_at(i)->name, mk_objective_type_at(i)->summary);
}

static void exit_status(FILE *to)
{
    static const struct {
        int status;
        const char *text;
    } code[] = {
#define X(name, value, status, text) {status, text},
        MK_ERRORS(X)
#undef X
    };
    enum { CODES = sizeof code / sizeof *code };
    fputs(".SH EXIT STATUS\n", to);
    for (int status = 0; status <= 2; status++) {
        const char *separator = "";
        fprintf(to, ".TP\n\\fB%d\\fR\n", status);
        for (size_t i = 0; i < CODES; i++) {
            if (code[i].status != status) continue;
            fputs(separator, to);
            put(to, code[i].text);
            separator = "; ";
        }
        fputc('\n', to);
    }
    put_paragraphs(
        to, "\nEvery error is one line on standard error; an error in a file begins with FILE:LINE:COLUMN: KEY:.");
}

static const struct {
    const char *term, *text;
} files[] =
    {
        {"results/NAME.h5",
         "the result of experiment NAME (unless -o names another file); it is either complete or absent"},
        {"results/NAME.h5.journal",
         "finished blocks of an incomplete run: rerun the command with --resume to continue"},
        {"results/NAME.h5.previous", "an earlier result of a different run, kept when a new one replaced it"},
        {"results/NAME.I-of-N.part", "part I of N, written by --shard I/N, for maxk merge"},
        {"results/figures/", "figures, with their data and gnuplot scripts"},
        {"PREFIX/share/maxk/experiments/",
         "the published experiments and their data; `maxk run e4_power` finds them by name, and experiments/… is looked up there where the working directory does not have it"},
        {"PREFIX/share/doc/maxk/manual/index.html", "the manual: tutorials, reference pages, a search box"},
        {"PREFIX/share/doc/maxk/maxk.pdf",
         "the paper \"Certified bounds for MaxUCB\": Theorems 1 to 10, which certify, bounds and rate rest on, with their "
         "proofs; in a checkout `make paper` writes build/paper/maxk.pdf"},
        {"PREFIX/share/maxk/analysis/theory/certificate.h",
         "the statements of these theorems; in a checkout without PREFIX/share/maxk"},
},
  environment[] = {
      {"OMP_NUM_THREADS", "number of threads unless -j is given; results do not depend on it"},
      {"OMP_PROC_BIND, OMP_PLACES", "placement of threads (see the OpenMP specification)"},
      {"TMPDIR", "folder of temporary files (default: /tmp; of large recorded runs: /var/tmp)"},
      {"PATH", "searched for gnuplot, which draws the figures"},
};

/* Tests run these lines. */
static const char *const examples[] = {
    "maxk list policies",
    "maxk describe max_ucb",
    "maxk run experiments/e4_power.yaml -s replications=100 -s name=small",
    "maxk summary results/small.h5",
    "maxk bounds results/small.h5 --policy max_ucb --variant sum",
    "maxk figures results/small.h5 --format svg",
    "maxk lu experiments/e4_power.yaml --estimator exact",
    "maxk gap experiments/e4_power.yaml --horizons 100,1e6,1e12",
    "maxk run experiments/e4_power.yaml -s replications=100 --shard 1/2 -o results/1.part",
    "maxk run experiments/e4_power.yaml -s replications=100 --shard 2/2 -o results/2.part",
    "maxk merge results/1.part results/2.part -o results/merged.h5",
};

void mk_manual_end(FILE *to)
{
    experiment_files(to);
    tune_files(to);
    registries(to);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        fprintf(to, ".SH %s\n", topics[i].title);
        put_paragraphs(to, topics[i].text);
    }
    exit_status(to);
    fputs(".SH FILES\n", to);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) put_item(to, 'I', files[i].term, files[i].text);
    fputs(".SH ENVIRONMENT\n", to);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        put_item(to, 'B', environment[i].term, environment[i].text);
    fputs(".SH EXAMPLES\n.nf\n", to);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        put(to, examples[i]);
        fputc('\n', to);
    }
    fputs(".fi\n.SH SEE ALSO\n.BR gnuplot (1),\n.BR h5dump (1),\n.BR mpirun (1)\n", to);
}
