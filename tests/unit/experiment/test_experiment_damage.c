/* Thousands of damaged experiment and CSV files, which must end in MK_OK or in MK_EINPUT with one line. */
#include <string.h>

#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

#define REST "policies: [max_ucb]\nhorizons: [50, 100]\n"

static struct scratch scratch;

static unsigned long long next(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return *state >> 33;
}

/* Cuts, overwritten bytes, inserted tokens and doubled stretches. */
static size_t mutate(unsigned long long *state, char *text, size_t n, size_t room)
{
    static const char *const tokens[] = {
        "{",       "}",     "[",    "]",     ": ",    ", ",  "- ",       "\n",      "\n  ",
        "'",       "\"",    "#",    "&a ",   "*a",    "!x ", "|",        "nan",     "inf",
        "-1",      "1e400", "1e17", "0",     "",      "\t",  "family: ", "x: ",     "{from: 0, to: 1, step: 0.1}",
        "\xff",    "\x00",  "%",    "---\n", "...\n", "? ",  "{alpha}",  "max_ucb", "1e-300",
        "99999999"};
    for (size_t edits = 1 + (next(state) % 3 == 0); edits > 0 && n > 0; edits--) {
        size_t at = next(state) % n;
        switch (next(state) % 5) {
        case 0: n = at; break;
        case 1: text[at] = (char)(next(state) % 256); break;
        case 2: {
            const char *token = tokens[next(state) % (sizeof tokens / sizeof *tokens)];
            size_t length = strlen(token);
            if (n + length > room) break;
            memmove(text + at + length, text + at, n - at);
            memcpy(text + at, token, length);
            n += length;
            break;
        }
        case 3: {
            size_t length = next(state) % (n - at) + 1;
            memmove(text + at, text + at + length, n - at - length);
            n -= length;
            break;
        }
        default: {
            size_t length = next(state) % (n - at) + 1;
            if (length > 200) length = 200;
            if (n + length > room) break;
            memmove(text + at + length, text + at, n - at);
            n += length;
        }
        }
    }
    return n;
}

static void check_damaged(void)
{
    static const char *const seeds[] = {
        "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 1}]}\n" REST
        "replications: 10\nseed: 3\nkeep: summary\ntitle: 'x'\nname: abc\n",
        "problem:\n  arms:\n    - {family: mixture, weights: [1, 2], components: [{family: dirac, x: 0}, {family: "
        "pareto, shape: 2, "
        "scale: 1}], clip: [0, 9]}\n    - family: empirical\n      values: [1, 2, 3]\n      truncate: [0, 2]\n      "
        "shift: 1\n"
        "policies:\n  - {name: max_ucb, alpha: {from: 0, to: 1, step: 0.25}, ties: [lowest, random], label: 'a={alpha} "
        "{ties}'}\n"
        "  - uniform\nhorizons: {from: 10, to: 1e5, per_decade: 3}\n",
        "problem: {trajectories: e.yaml, instances: [a, b], arm_order: file}\n" REST,
    };
    enum { RUNS = 6000, ROOM = 4000 };
    char text[ROOM];
    unsigned long long state = 20251121;
    int good = 0, refused = 0, other = 0, empty = 0;
    for (int i = 0; i < RUNS; i++) {
        const char *from = seeds[i % 3];
        size_t n = strlen(from);
        memcpy(text, from, n);
        n = mutate(&state, text, n, ROOM);
        struct mk_experiment *e = NULL;
        struct mk_error err = {0, ""};
        int code = mk_experiment_parse(&e, "f", text, n, MK_NEED_PROBLEM | MK_NEED_RUN, &err);
        good += code == MK_OK;
        refused += code == MK_EINPUT;
        if (code != MK_OK && code != MK_EINPUT) printf("# %d %s\n", code, err.text), other++;
        empty += code && (!err.text[0] || strchr(err.text, '\n'));
        if (!code) mk_experiment_free(e);
    }
    CHECK(other == 0 && empty == 0 && good > 100 && refused > 2000,
          "%d damaged files: %d read, %d refused with one line, %d ended otherwise", RUNS, good, refused,
          other + empty);
}

/* The same for recorded rewards. */
static void check_damaged_csv(void)
{
    static const char from[] =
        "instance,arm,repetition,iteration,reward\n\"i,1\",a,0,0,0.5\n\"i,1\",a,0,1,0.25\n\"i,1\",b,0,0,1e-3\n"
        "\"i,1\",b,0,1,-7\nj,a,0,0,1\nj,a,0,1,2\n";
    enum { RUNS = 3000, ROOM = 4000 };
    char text[ROOM];
    unsigned long long state = 7;
    int good = 0, refused = 0, other = 0;
    for (int i = 0; i < RUNS; i++) {
        size_t n = strlen(from);
        memcpy(text, from, n);
        n = mutate(&state, text, n, ROOM);
        struct mk_experiment *e = NULL;
        struct mk_error err = {0, ""};
        int code = mk_experiment_from_csv(&e, scratch_write(&scratch, "m.csv", text, n), NULL, 0, &err);
        good += code == MK_OK;
        refused += code == MK_EINPUT;
        other += (code != MK_OK && code != MK_EINPUT) || (code && (!err.text[0] || strchr(err.text, '\n')));
        if (!code) mk_experiment_free(e);
    }
    CHECK(other == 0 && good > 30 && refused > 1000, "%d damaged CSV files: %d read, %d refused, %d ended otherwise",
          RUNS, good, refused, other);
}

int main(void)
{
    scratch_make(&scratch);
    check_damaged();
    check_damaged_csv();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
