/* maxk-mutate INPUTS SEED [TARGET FIRST]: every fuzz target on so many changed copies of its seeds and regressions,
 * those whose inputs take less time on up to 20 times as many (fuzz_target.times). Input i of a target is a function of
 * (seed, i) alone, so `maxk-mutate 1 SEED TARGET i` gives one again. Not guided by coverage as afl-fuzz is, but
 * needs nothing else (tests/long/test_fuzz_mutations.sh). Prints one check a target. */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "sim/base/pcg64.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 1000, ROOM = 1 << 17, WORD = 32, NAME = 300, SECONDS = 60, STARTED = 3, MOST_FAILURES = 5 };

struct bytes {
    size_t n;
    unsigned char *at;
};

struct material {
    size_t n_files, n_words;
    struct bytes file[MOST], word[MOST];
};

/* The input that the child is working on, seen by the parent when it dies. */
struct shared {
    uint64_t input;
    size_t n;
    unsigned char data[ROOM];
};

static size_t below(struct mk_pcg64 *g, size_t n)
{
    return n ? (size_t)(mk_uniform(g) * (double)n) : 0;
}

static void add_files(struct material *m, const char *kind, const char *target)
{
    char folder[NAME / 2], path[NAME];
    struct dirent **entry = NULL;
    snprintf(folder, sizeof folder, "tests/fuzz/%s/%s", kind, target);
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct bytes *b = &m->file[m->n_files];
        snprintf(path, sizeof path, "%s/%.140s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && m->n_files < MOST) {
            b->at = fuzz_read(path, &b->n);
            m->n_files++;
        }
        free(entry[i]);
    }
    free(entry);
}

/* One word of an AFL dictionary: "text" with \" \\ \xNN. */
static void add_word(struct material *m, const char *line)
{
    struct bytes *w = &m->word[m->n_words];
    const char *at = strchr(line, '"');
    if (line[0] == '#' || !at || m->n_words >= MOST) return;
    w->at = malloc(WORD);
    if (!w->at) abort();
    for (at++; *at && *at != '"' && w->n < WORD; at++) {
        unsigned value = (unsigned char)*at;
        if (*at == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &value) == 1)
            at += 3;
        else if (*at == '\\' && at[1])
            value = (unsigned char)*++at;
        w->at[w->n++] = (unsigned char)value;
    }
    m->n_words++;
}

static void gather(struct material *m, const char *target)
{
    static const char *const numbers[] = {"\"0\"",    "\"-1\"",  "\"1e308\"", "\"1e-320\"", "\"nan\"",
                                          "\"-inf\"", "\"0x1\"", "\"\"",      "\"1e999\"",  "\"9007199254740993\"",
                                          "\"[]\"",   "\"{}\"",  "\"\\x00\"", "\"\\xff\"",  "\"18446744073709551616\""};
    char path[NAME], line[NAME];
    *m = (struct material){0};
    add_files(m, "seeds", target);
    add_files(m, "regressions", target);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_word(m, numbers[i]);
    snprintf(path, sizeof path, "tests/fuzz/%.40s.dict", target);
    FILE *dictionary = fopen(path, "r");
    while (dictionary && fgets(line, sizeof line, dictionary)) add_word(m, line);
    if (dictionary) fclose(dictionary);
}

static void release(struct material *m)
{
    for (size_t i = 0; i < m->n_files; i++) free(m->file[i].at);
    for (size_t i = 0; i < m->n_words; i++) free(m->word[i].at);
}

/* Replaces `gone` bytes at `at` by these. */
static void splice(struct shared *s, size_t at, size_t gone, const unsigned char *with, size_t n)
{
    if (at > s->n) return;
    if (gone > s->n - at) gone = s->n - at;
    if (s->n - gone + n > ROOM) return;
    memmove(s->data + at + n, s->data + at + gone, s->n - at - gone);
    if (n) memcpy(s->data + at, with, n);
    s->n = s->n - gone + n;
}

static bool is_number(unsigned char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e';
}

static void change(struct shared *s, const struct material *m, struct mk_pcg64 *g)
{
    static const uint64_t sizes[] = {0, 1, 0x7fffffff, 0xffffffff, 1ull << 32, 1ull << 53, 1ull << 63, ~0ull};
    unsigned char some[64], number[8];
    size_t at = below(g, s->n), length = 1 + below(g, below(g, 2) ? 8 : 64);
    const struct bytes *other = &m->file[below(g, m->n_files)], *word = &m->word[below(g, m->n_words)];
    switch (below(g, 9)) {
    case 0:
        if (s->n) s->data[at] ^= (unsigned char)(1u << below(g, 8));
        break;
    case 1:
        if (s->n) s->data[at] = (unsigned char)below(g, 256);
        break;
    case 2: splice(s, at, length, NULL, 0); break;
    case 3: /* bytes of the input again elsewhere */
        if (length > s->n - at) length = s->n - at;
        memcpy(some, s->data + at, length);
        splice(s, below(g, s->n + 1), 0, some, length);
        break;
    case 4: /* a stretch of another one */
        if (other->n) splice(s, at, length, other->at + below(g, other->n), 1);
        if (other->n > length) splice(s, at, below(g, 2) ? length : 0, other->at + below(g, other->n - length), length);
        break;
    case 5: splice(s, at, 0, word->at, word->n); break;
    case 6: splice(s, at, word->n, word->at, word->n); break;
    case 7: /* the digits from here on become another number */
        for (length = 0; at + length < s->n && is_number(s->data[at + length]);) length++;
        splice(s, at, length, word->at, word->n);
        break;
    default: { /* a size in a binary file */
        uint64_t value = sizes[below(g, sizeof sizes / sizeof *sizes)];
        memcpy(number, &value, sizeof number);
        length = (size_t)1 << below(g, 4);
        splice(s, at, length, number, length);
    }
    }
}

static void make_input(struct shared *s, const struct material *m, uint64_t seed, uint64_t input)
{
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, seed, input);
    const struct bytes *from = &m->file[below(&g, m->n_files)];
    s->input = input;
    s->n = from->n < ROOM ? from->n : ROOM;
    memcpy(s->data, from->at, s->n);
    for (size_t i = 1 + below(&g, below(&g, 2) ? 4 : 24); i > 0; i--) change(s, m, &g);
}

static void child(const struct fuzz_target *target, const struct material *m, struct shared *s, const uint64_t *range,
                  uint64_t seed)
{
    const struct rlimit none = {0, 0}, most = {2000000000, 2000000000};
    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__     /* which reserves terabytes, and has max_allocation_size_mb */
    setrlimit(RLIMIT_AS, &most); /* sizes in an input that are believed show as allocations that fail */
#endif
    (void)most;
    if (!freopen("/dev/null", "w", stdout)) _exit(STARTED);
    if (target->start) target->start();
    for (uint64_t i = range[0]; i < range[1]; i++) {
        make_input(s, m, seed, i);
        unsigned char *exact = malloc(s->n + !s->n); /* so that a byte too far is noticed */
        if (!exact) _exit(STARTED);
        memcpy(exact, s->data, s->n);
        alarm(SECONDS);
        target->one(exact, s->n);
        free(exact);
    }
    exit(0); /* leaks are looked for here */
}

/* Inputs range[0] … range[1] - 1; 0: nothing failed. */
static int run_target(const struct fuzz_target *target, struct shared *s, const uint64_t *range, uint64_t seed)
{
    struct material *m = malloc(sizeof *m);
    uint64_t rest[2] = {range[0], range[1]};
    int failures = 0;
    if (!m) abort();
    gather(m, target->name);
    while (m->n_files && rest[0] < rest[1] && failures < MOST_FAILURES) {
        int status = 0;
        s->input = rest[0];
        fflush(NULL);
        pid_t pid = fork();
        if (pid < 0) abort();
        if (!pid) child(target, m, s, rest, seed);
        waitpid(pid, &status, 0);
        if (!status) break;
        printf("# %s: status %#x; maxk-mutate 1 %llu %s %llu\n", target->name, (unsigned)status,
               (unsigned long long)seed, target->name, (unsigned long long)s->input);
        failures++;
        rest[0] = s->input + 1;
    }
    int ok = m->n_files && !failures;
    printf("%s %s: %llu changed copies of %zu files, %zu words\n", ok ? "ok" : "not ok", target->name,
           (unsigned long long)(range[1] - range[0]), m->n_files, m->n_words);
    release(m);
    free(m);
    return !ok;
}

int main(int argc, char **argv)
{
    const struct fuzz_target *only = argc == 5 ? fuzz_find(argv[3]) : NULL;
    if (argc != 3 && !only) {
        fprintf(stderr, "usage: maxk-mutate INPUTS SEED [TARGET FIRST]\n");
        return 2;
    }
    uint64_t count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    uint64_t first = only ? strtoull(argv[4], NULL, 10) : 0;
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) return 1;
    gsl_set_error_handler_off();
    int failed = 0;
    for (size_t i = 0; i < FUZZ_TARGETS; i++) {
        const struct fuzz_target *t = &fuzz_targets[i];
        const uint64_t range[2] = {first, first + count * (only ? 1 : t->times)};
        if (!only || only == t) failed |= run_target(t, s, range, seed);
    }
    return failed;
}
