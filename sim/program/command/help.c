#include "sim/program/command/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/answers/tables/registries.h"
#include "sim/api/maxk/maxk.h"
#include "sim/base/param.h"
#include "sim/base/revision.h"
#include "sim/program/command/experiments_folder.h"
#include "sim/run/experiment/file_keys.h"
#include "sim/search/space/space_read.h"

enum { WIDEST = 100, NARROWEST = 40, ITEM_COLUMN = 18, OPTION_COLUMN = 28 };

/* ---- text for people ---- */

/* Columns of UTF-8 text. */
static size_t width(const char *text, size_t bytes)
{
    size_t n = 0;
    for (; bytes; text++, bytes--) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Width of the lines to print: that of the terminal, within limits of readability. */
static size_t line_width(FILE *to)
{
    struct winsize size = {0};
    if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col) return WIDEST;
    return size.ws_col > WIDEST ? WIDEST : size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

/* Prints text[0 … n-1] from column `at` on, broken between words; further lines begin at column `indent`. */
static void put_wrapped(FILE *to, const char *text, size_t n, size_t at, size_t indent)
{
    const size_t right = line_width(to);
    int first = 1;
    for (const char *end = text + n; text < end; first = 0) {
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        size_t word = blank ? (size_t)(blank - text) : (size_t)(end - text), columns = width(text, word);
        if (!first && at + 1 + columns > right) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', to);
            at++;
        }
        fwrite(text, 1, word, to);
        at += columns;
        text += word + (blank != NULL);
    }
    fputc('\n', to);
}

/* Of a line "  term  text" of a usage text (sim/base/table/option.h): the bytes before the blanks, two or more, that
 * end the term, and where the text begins; 0 for any other line. */
static size_t usage_term(const char *line, size_t n, size_t *text)
{
    if (n < 3 || line[0] != ' ' || line[1] != ' ' || line[2] == ' ') return 0;
    for (size_t i = 2; i + 2 < n; i++)
        if (line[i] == ' ' && line[i + 1] == ' ') {
            *text = i + strspn(line + i, " ");
            return i;
        }
    return 0;
}

/* Two columns: `left`, and a text from `column` on, which starts on the next line when `left` is too long. */
static void put_row(FILE *to, const char *left, size_t left_bytes, const char *text, size_t bytes, size_t column)
{
    size_t columns = width(left, left_bytes);
    fwrite(left, 1, left_bytes, to);
    if (columns + 2 > column) {
        fputc('\n', to);
        columns = 0;
    }
    fprintf(to, "%*s", (int)(column - columns), "");
    put_wrapped(to, text, bytes, column, column);
}

/* The texts of sim/base/table/option.h. */
static void put_text(FILE *to, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), begin, term = usage_term(text, n, &begin);
        if (term)
            put_row(to, text, term, text + begin, n - begin, ITEM_COLUMN);
        else if (*text == ' ' || !n)
            fprintf(to, "%.*s\n", (int)n, text);
        else
            put_wrapped(to, text, n, 0, 0);
        text += n + (text[n] == '\n');
    }
}

/* The help text of an option; its choices come before the default, in the same parentheses. */
static void put_option(FILE *to, const char *left, const char *help, const char *choices)
{
    static const char by_default[] = " (default: ";
    char text[1024], list[256] = "";
    const char *end = choices ? strstr(help, by_default) : NULL;
    int before = end ? (int)(end - help) : (int)strlen(help);
    if (choices) mk_choice_list(choices, list, sizeof list);
    int n = snprintf(text, sizeof text, "%.*s%s%s%s%s", before, help, choices ? " (one of " : "", list,
                     end       ? "; "
                     : choices ? ")"
                               : "",
                     end ? end + 2 : "");
    put_row(to, left, strlen(left), text, n < (int)sizeof text ? (size_t)n : sizeof text - 1, OPTION_COLUMN);
}

/* A line that is too long is broken after a '|' of the operands. */
static void put_usage(FILE *to, const struct mk_usage *u)
{
    static const char options[] = "[option]…";
    const char *part = u->operands ? u->operands : "";
    const size_t indent = strlen("usage: maxk  ") + strlen(u->command), right = line_width(to) - sizeof options;
    size_t at = indent;
    fprintf(to, "usage: maxk %s ", u->command);
    while (*part) {
        const size_t name = strcspn(part, "|"), n = name + (part[name] == '|'), columns = width(part, n);
        if (at > indent && at + columns > right) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
        }
        fwrite(part, 1, n, to);
        at += columns;
        part += n;
    }
    fprintf(to, "%s%s\n\n", u->operands ? " " : "", options);
}

static void text_command(const struct mk_help *h, FILE *to)
{
    const struct mk_usage *u = h->usage;
    put_usage(to, u);
    put_text(to, u->text);
    fputs("\noptions:\n", to);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        char left[96], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        put_option(to, left, o->help, o->choices);
    }
    put_option(to, "  -h, --help[=FORM]", "print this help, or its form for the man page or for a shell's completion",
               MK_HELP_FORMS);
}

static void text_program(const struct mk_command *commands, FILE *to)
{
    const char *group = "";
    char room[MK_PATH_ROOM];
    const char *page = mk_manual_page(room);
    fputs("maxk: a laboratory for max-K-armed (extreme) bandits\n\nusage: maxk COMMAND [operand]… [option]…\n", to);
    for (; commands->name; commands++) {
        if (strcmp(group, commands->group) != 0) fprintf(to, "\n%s:\n", commands->group);
        group = commands->group;
        fprintf(to, "  %-12s %s\n", commands->name, commands->summary);
    }
    fputs("\n`maxk help COMMAND` (or `maxk COMMAND --help`) describes one command. `maxk --help=man` prints the\n"
          "man page; `maxk --help=bash`, `=zsh` and `=fish` print completion scripts for these shells.\n"
          "`maxk --version` prints the version.\n",
          to);
    if (page)
        fprintf(to, "The manual, with tutorials and a search box: file://%s\n", page);
    else
        fputs("The manual, with tutorials and a search box: `make manual` in the source.\n", to);
}

/* ---- the man page (section 1), in the roff macros of man(7) ---- */

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
static void roff_bytes(FILE *to, const char *text, size_t n)
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

static void roff_text(FILE *to, const char *text)
{
    roff_bytes(to, text, strlen(text));
}

/* The texts of sim/base/table/option.h: paragraphs, items, lines that are not filled. */
static void roff_paragraphs(FILE *to, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n"), begin, term = usage_term(at, n, &begin);
        if (term) {
            fputs(".TP\n\\fB", to);
            roff_bytes(to, at + 2, term - 2);
            fputs("\\fR\n", to);
            roff_bytes(to, at + begin, n - begin);
            fputc('\n', to);
        } else if (*at == ' ') {
            fputs(".nf\n", to);
            roff_bytes(to, at, n);
            fputs("\n.fi\n", to);
        } else if (n) {
            roff_bytes(to, at, n);
            fputc('\n', to);
        } else if (!usage_term(at + 1, strcspn(at + 1, "\n"), &begin)) {
            fputs(".PP\n", to);
        }
        at += n + (at[n] == '\n');
    }
}

/* A paragraph with the hanging term `term` in the given font (B or I). */
static void roff_item(FILE *to, char font, const char *term, const char *text)
{
    fprintf(to, ".TP\n\\f%c", font);
    roff_text(to, term);
    fputs("\\fR\n", to);
    roff_text(to, text);
    fputc('\n', to);
}

static void roff_choices(FILE *to, const char *choices)
{
    fputs("(one of ", to);
    for (const char *at = choices; *at;) {
        char word[64];
        size_t n = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        fputs("\\fB", to);
        roff_text(to, word);
        at += n + (at[n] == '|');
        fputs(*at ? "\\fR, " : "\\fR", to);
    }
    fputs(")\n", to);
}

static void roff_option(FILE *to, const struct mk_option *o)
{
    fputs(".TP\n", to);
    if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", to);
    roff_text(to, o->name);
    fputs("\\fR", to);
    if (o->arg) {
        fputs(" \\fI", to);
        roff_text(to, o->arg);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    roff_text(to, o->help);
    fputc('\n', to);
    if (o->choices) roff_choices(to, o->choices);
}

static void manual_command(const struct mk_help *h, FILE *to)
{
    const struct mk_usage *u = h->usage;
    fprintf(to, ".na\n.SS maxk %s ", u->command);                 /* long headings are not adjusted */
    for (const char *at = u->operands ? u->operands : ""; *at;) { /* a line may be broken after "|" */
        const size_t n = strcspn(at, "|"), bar = at[n] == '|';
        roff_bytes(to, at, n + bar);
        if (bar) fputs("\\:", to);
        at += n + bar;
    }
    fputs(" [option]\\[u2026]\n.ad\n", to);
    roff_paragraphs(to, u->text);
    for (const struct mk_option *o = h->options; o && o->name; o++) roff_option(to, o);
}

static void manual_begin(FILE *to)
{
    fprintf(to, ".\\\" Written by `maxk --help=man`.\n.TH MAXK 1 \"%s\" \"maxk ", MK_DATE);
    roff_text(to, mk_version());
    fputs("\" \"User Commands\"\n"
          ".SH NAME\nmaxk \\- a laboratory for max\\-K\\-armed (extreme) bandits\n"
          ".SH SYNOPSIS\n.B maxk\n.I COMMAND\n[operand]\\[u2026] [option]\\[u2026]\n.br\n"
          ".B maxk help\n.RI [ COMMAND ]\n.br\n.B maxk\n.RI [ COMMAND ]\n.BR \\-\\-help [=\\fIFORM\\fR]\n"
          ".br\n.B maxk \\-\\-version\n"
          ".SH DESCRIPTION\n",
          to);
    roff_paragraphs(
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

static void roff_keys(FILE *to, size_t from, size_t end)
{
    const struct mk_param *key;
    char text[MK_FILE_KEY_ROOM];
    for (size_t m = from; m < end; m++) {
        if (m == from || strcmp(mk_file_mappings[m].what, mk_file_mappings[m - 1].what) != 0)
            fprintf(to, ".SS Keys of %s\n", mk_file_mappings[m].what);
        for (size_t i = 0; (key = mk_file_key_at(m, i)); i++)
            roff_item(to, 'B', key->name, mk_file_key_text(key, text));
    }
}

static void experiment_files(FILE *to)
{
    fputs(".SH EXPERIMENT FILES\n", to);
    roff_paragraphs(
        to,
        "An experiment file is a YAML mapping. Paths in it are looked up from the working directory first, then "
        "from the folder of the file. Unknown keys and values out of range are rejected with their line and column.");
    roff_keys(to, MK_IN_EXPERIMENT, MK_DOCUMENTED_MAPPINGS);
}

static void tune_files(FILE *to)
{
    fputs(".SH TUNE FILES\n", to);
    roff_paragraphs(to,
                    "The file of `maxk tune` is a YAML mapping, too, with a policy that chooses among programs, the "
                    "arms, whose hyperparameters an optimiser chooses. Of the keys command, shell and worker it has "
                    "one, or every arm has its own.");
    roff_keys(to, 0, MK_TUNE_MAPPINGS);
    fputs(".SH SEARCH SPACES\n", to);
    roff_paragraphs(to,
                    "A search space is a mapping of names to hyperparameters, each a mapping with one of the first six "
                    "keys.");
    for (const struct mk_space_key *key = mk_space_keys; key->key.name; key++) {
        char of[128], help[512];
        snprintf(help, sizeof help, "%s%s%s", key->forms ? "of " : "",
                 key->forms ? mk_space_key_forms(key, of, sizeof of) : "", key->forms ? ": " : "");
        snprintf(help + strlen(help), sizeof help - strlen(help), "%s", key->key.help);
        roff_item(to, 'B', key->key.name, help);
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
    struct mk_registry_entry e;
    for (const struct mk_registry *r = mk_registries; r->list; r++) {
        if (!r->describe) continue;
        fprintf(to, ".SH %s\n%s%s", r->heading, r->about, *r->about ? "\n" : "");
        for (size_t i = 0; r->entry(i, &e); i++)
            if (!e.unlisted) roff_item(to, 'B', e.name, e.summary);
    }
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
            roff_text(to, code[i].text);
            separator = "; ";
        }
        fputc('\n', to);
    }
    roff_paragraphs(
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
         "the paper \"Certified bounds for MaxUCB\": Theorems 1 to 11, which certify, bounds and rate rest on, with their "
         "proofs; in a checkout `make paper` writes build/paper/maxk.pdf"},
        {"PREFIX/share/maxk/analysis/theory/certificates/certificate.h",
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

static void manual_end(FILE *to)
{
    experiment_files(to);
    tune_files(to);
    registries(to);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        fprintf(to, ".SH %s\n", topics[i].title);
        roff_paragraphs(to, topics[i].text);
    }
    exit_status(to);
    fputs(".SH FILES\n", to);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) roff_item(to, 'I', files[i].term, files[i].text);
    fputs(".SH ENVIRONMENT\n", to);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        roff_item(to, 'B', environment[i].term, environment[i].text);
    fputs(".SH EXAMPLES\n.nf\n", to);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        roff_text(to, examples[i]);
        fputc('\n', to);
    }
    fputs(".fi\n.SH SEE ALSO\n.BR gnuplot (1),\n.BR h5dump (1),\n.BR mpirun (1)\n", to);
}

/* ---- completion of command lines for bash, zsh and fish: commands, options, enumerated values, names of
 * registries, files ---- */

/* What may be written in one place: a value of an option, or an operand. */
struct place {
    enum { ANYTHING, WORDS, NAMES, FILES, FOLDERS } kind; /* FILES: with the endings in `text`; all if it has none */
    const char *text; /* "a|b|c", or a placeholder such as "FILE.csv[.gz]|RESULT.h5" */
    mk_name_at *names;
    const struct mk_option *option; /* of which it is a value; NULL: none */
};

/* Copies the ending (".h5") at or after *at, which moves past it; 0: no more. */
static bool next_ending(const char **at, char out[16])
{
    for (const char *c = *at; *c; c++) {
        size_t n = 0;
        if (*c != '.' || !islower((unsigned char)c[1])) continue;
        while (n < 15 && isalnum((unsigned char)c[n + 1])) n++;
        snprintf(out, 16, "%.*s", (int)n, c + 1);
        *at = c + 1 + n;
        return true;
    }
    return false;
}

static struct place place_of_value(const struct mk_option *o)
{
    char ending[16];
    const char *at = o->arg ? o->arg : "";
    if (o->choices) return (struct place){WORDS, o->choices, NULL, o};
    if (strcmp(at, "DIR") == 0) return (struct place){FOLDERS, "", NULL, NULL};
    return next_ending(&at, ending) ? (struct place){FILES, o->arg, NULL, NULL}
                                    : (struct place){ANYTHING, "", NULL, NULL};
}

static struct place place_of_operand(const struct mk_help *h)
{
    char ending[16];
    const char *text = h->usage->operands, *at = text;
    if (!text) return (struct place){ANYTHING, "", NULL, NULL};
    if (h->names) return (struct place){NAMES, "", h->names, NULL};
    if (!next_ending(&at, ending) && strchr(text, '|')) return (struct place){WORDS, text, NULL, NULL};
    return (struct place){FILES, text, NULL, NULL};
}

static void put_words(FILE *to, const char *text)
{
    for (; *text; text++) fputc(*text == '|' ? ' ' : *text, to);
}

/* The words of a place, or the endings of its files, separated by blanks; each ending preceded by `before`. */
static void put_list(FILE *to, const struct place *p, const char *before)
{
    const char *at = p->text, *separator = "";
    char ending[16];
    if (p->kind == WORDS) put_words(to, p->text);
    const struct mk_option *o = p->option ? mk_option_next(p->option) : NULL;
    for (; o; o = mk_option_next(o)) {
        fputc(' ', to);
        put_words(to, o->choices);
    }
    for (size_t i = 0; p->kind == NAMES && p->names(i); i++) fprintf(to, "%s%s", i ? " " : "", p->names(i));
    while (p->kind == FILES && next_ending(&at, ending)) {
        fprintf(to, "%s%s%s", separator, before, ending);
        separator = " ";
    }
}

/* Text within single quotes of a shell; `escape`: characters that get a backslash. */
static void put_quoted(FILE *to, const char *text, const char *quote, const char *escape)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, to);
            continue;
        }
        if (strchr(escape, *text)) fputc('\\', to);
        fputc(*text, to);
    }
}

/* ---- bash ---- */

static void bash_place(FILE *to, const struct place *p)
{
    static const char *const kind[] = {"", "words", "words", "files", "folders"};
    fprintf(to, "kind=%s list='", kind[p->kind]);
    put_list(to, p, "");
    fputs("' ;;\n", to);
}

static void bash_command(const struct mk_help *h, FILE *to)
{
    struct place operand = place_of_operand(h);
    fprintf(to, "    %s)\n        options='", h->usage->command);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        if (mk_option_is_later(h->options, o)) continue;
        if (o->letter) fprintf(to, "-%c ", o->letter);
        fprintf(to, "--%s ", o->name);
    }
    fputs("--help'\n        case $previous in\n", to);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        struct place value = place_of_value(o);
        if (o->kind == MK_OPT_FLAG || mk_option_is_later(h->options, o)) continue;
        fputs("        ", to);
        if (o->letter) fprintf(to, "-%c | ", o->letter);
        fprintf(to, "--%s) options= ", o->name);
        bash_place(to, &value);
    }
    fputs("        *) ", to);
    bash_place(to, &operand);
    fputs("        esac ;;\n", to);
}

static void bash_begin(const struct mk_command *commands, FILE *to)
{
    fputs("# Completion of maxk for bash, written by `maxk --help=bash`.\n_maxk()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options='' kind='' list='' "
          "command=''\n"
          "    if [[ $word == = ]]; then word=''\n"
          "    elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
          "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
          "    case $command in\n    '') options='--help --version' kind=words list='",
          to);
    for (; commands->name; commands++) fprintf(to, "%s%s", commands->name, commands[1].name ? " " : "");
    fputs("' ;;\n", to);
}

static void bash_end(FILE *to)
{
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then kind=words list=$options; fi\n"
          "    COMPREPLY=()\n"
          "    case $kind in\n"
          "    words) mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$word\") ;;\n"
          "    files | folders)\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(\n"
          "            compgen -d -- \"$word\"\n"
          "            for ending in $list; do compgen -f -X \"!*.$ending\" -- \"$word\"; done\n"
          "            if [[ $kind == files && -z $list ]]; then compgen -f -- \"$word\"; fi\n"
          "        ) ;;\n"
          "    esac\n}\ncomplete -F _maxk maxk\n",
          to);
}

/* ---- zsh ---- */

static void zsh_place(FILE *to, const char *message, const struct place *p)
{
    fputc(':', to);
    put_quoted(to, message, "'\\''", ":[]");
    fputc(':', to);
    if (p->kind == WORDS || p->kind == NAMES) {
        fputc('(', to);
        put_list(to, p, "");
        fputc(')', to);
    } else if (p->kind == FILES) {
        char ending[16];
        const char *at = p->text;
        int some = next_ending(&at, ending);
        fputs(some ? "_files -g \"" : "_files", to);
        put_list(to, p, "*.");
        if (some) fputc('"', to);
    } else if (p->kind == FOLDERS) {
        fputs("_files -/", to);
    }
}

static void zsh_option(FILE *to, const struct mk_option *o)
{
    int flag = o->kind == MK_OPT_FLAG;
    struct place value = place_of_value(o);
    fputs(" \\\n            ", to);
    if (o->kind == MK_OPT_TEXTS)
        fputs("'*'", to);
    else if (o->letter)
        fprintf(to, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter)
        fprintf(to, "{-%c%s,--%s%s}'[", o->letter, flag ? "" : "+", o->name, flag ? "" : "=");
    else
        fprintf(to, "'--%s%s[", o->name, flag ? "" : "=");
    put_quoted(to, o->help, "'\\''", "[]");
    fputc(']', to);
    if (!flag) zsh_place(to, o->arg ? o->arg : o->name, &value);
    fputc('\'', to);
}

static void zsh_command(const struct mk_help *h, FILE *to)
{
    struct place operand = place_of_operand(h);
    fprintf(to, "    %s)\n        _arguments -S '--help[print help]'", h->usage->command);
    for (const struct mk_option *o = h->options; o && o->name; o++)
        if (!mk_option_is_later(h->options, o)) zsh_option(to, o);
    if (h->usage->operands) {
        fputs(h->usage->max_operands > 1 ? " \\\n            '*" : " \\\n            '1", to);
        zsh_place(to, h->usage->operands, &operand);
        fputc('\'', to);
    }
    fputs(" ;;\n", to);
}

static void zsh_begin(const struct mk_command *commands, FILE *to)
{
    fputs("#compdef maxk\n# Completion of maxk for zsh, written by `maxk --help=zsh`.\n_maxk()\n{\n"
          "    local -a commands\n    commands=(\n",
          to);
    for (; commands->name; commands++) {
        fprintf(to, "        '%s:", commands->name);
        put_quoted(to, commands->summary, "'\\''", ":");
        fputs("'\n", to);
    }
    fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
          "    shift words\n    ((CURRENT--))\n    case $words[1] in\n",
          to);
}

/* ---- fish ---- */

static void fish_place(FILE *to, const struct place *p)
{
    if (p->kind == WORDS || p->kind == NAMES || p->kind == FOLDERS) fputs(" -a '", to);
    if (p->kind == FOLDERS)
        fputs("(__fish_complete_directories)", to);
    else if (p->kind == FILES)
        fputs(" -F", to);
    else
        put_list(to, p, "");
    if (p->kind == WORDS || p->kind == NAMES || p->kind == FOLDERS) fputs("'", to);
    fputc('\n', to);
}

static void fish_command(const struct mk_help *h, FILE *to)
{
    struct place operand = place_of_operand(h);
    const char *command = h->usage->command;
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        struct place value = place_of_value(o);
        if (mk_option_is_later(h->options, o)) continue;
        fprintf(to, "complete -c maxk -n '__fish_seen_subcommand_from %s' -l %s", command, o->name);
        if (o->letter) fprintf(to, " -s %c", o->letter);
        fputs(" -d '", to);
        put_quoted(to, o->help, "\\'", "\\");
        fputs(o->kind == MK_OPT_FLAG ? "'" : value.kind == WORDS ? "' -x" : "' -r", to);
        fish_place(to, &value);
    }
    if (!h->usage->operands) return;
    fprintf(to, "complete -c maxk -n '__fish_seen_subcommand_from %s'", command);
    fish_place(to, &operand);
}

static void fish_begin(const struct mk_command *commands, FILE *to)
{
    fputs("# Completion of maxk for fish, written by `maxk --help=fish`.\ncomplete -c maxk -f\n", to);
    for (; commands->name; commands++) {
        fprintf(to, "complete -c maxk -n __fish_use_subcommand -a %s -d '", commands->name);
        put_quoted(to, commands->summary, "\\'", "\\");
        fputs("'\n", to);
    }
}

/* ---- every shell: before, of every command, and after them ---- */

static void completion_begin(enum mk_help_form shell, const struct mk_command *commands, FILE *to)
{
    if (shell == MK_HELP_BASH) bash_begin(commands, to);
    if (shell == MK_HELP_ZSH) zsh_begin(commands, to);
    if (shell == MK_HELP_FISH) fish_begin(commands, to);
}

static void completion_command(enum mk_help_form shell, const struct mk_help *h, FILE *to)
{
    if (shell == MK_HELP_BASH) bash_command(h, to);
    if (shell == MK_HELP_ZSH) zsh_command(h, to);
    if (shell == MK_HELP_FISH) fish_command(h, to);
}

static void completion_end(enum mk_help_form shell, FILE *to)
{
    if (shell == MK_HELP_BASH) bash_end(to);
    if (shell == MK_HELP_ZSH) fputs("    esac\n}\n_maxk \"$@\"\n", to);
}

/* ---- every form ---- */

void mk_help_command(enum mk_help_form form, const struct mk_help *h, FILE *to)
{
    switch (form) {
    case MK_HELP_TEXT: text_command(h, to); break;
    case MK_HELP_MAN: manual_command(h, to); break;
    case MK_HELP_BASH:
    case MK_HELP_ZSH:
    case MK_HELP_FISH: completion_command(form, h, to); break;
    }
}

int mk_help_program(enum mk_help_form form, const struct mk_command *commands, FILE *to, struct mk_error *err)
{
    char word[16], option[32];
    if (form == MK_HELP_TEXT) {
        text_program(commands, to);
        return MK_OK;
    }
    snprintf(option, sizeof option, "--help=%s", mk_choice_word(MK_HELP_FORMS, (int)form, word, sizeof word));
    if (form == MK_HELP_MAN)
        manual_begin(to);
    else
        completion_begin(form, commands, to);
    for (const struct mk_command *c = commands; c->name; c++) {
        char name[32];
        snprintf(name, sizeof name, "%s", c->name);
        char *argv[] = {name, option, NULL};
        int code = c->run(2, argv, err);
        if (code < 0) return code;
    }
    if (form == MK_HELP_MAN)
        manual_end(to);
    else
        completion_end(form, to);
    return MK_OK;
}
