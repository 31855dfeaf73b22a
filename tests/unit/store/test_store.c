/* Result files: what is written is read back, for any blocks; failures leave nothing, or the previous file. usage:
 * test_store [write DIR]: with `write`, only writes DIR/{pulls,again,summary,single}.h5 for test_result.py. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/store_fixture.h"

enum { REPLICATIONS = 300 };

/* In memory where possible: every commit syncs. */
static char directory[32];

static const char *in_directory(const char *name)
{
    static char path[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- statistics of the fixture, computed again from scratch ---- */

/* values[replication] of one cell, sorted; arm < 0: maxima. */
static void sorted_values(const struct fixture *x, size_t p, size_t i, size_t h, int arm, double *values)
{
    uint64_t n = x->e.replications;
    for (uint64_t r = 0; r < n; r++)
        values[r] = arm < 0 ? fixture_max(x, p, h, i * n + r) : (double)fixture_pulls(x, p, h, i * n + r, (size_t)arm);
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
}

static bool close_to(double a, double b, double relative)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= relative * fabs(b);
}

static bool moments_agree(const double *v, size_t n, double mean, double se)
{
    long double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++) sum += v[k];
    for (size_t k = 0; k < n; k++) squares += (v[k] - sum / n) * (v[k] - sum / n);
    double want = n < 2 ? (double)NAN : (double)sqrtl(squares / (n - 1) / n);
    return close_to(mean, (double)(sum / n), 1e-15) && close_to(se, want, 1e-12);
}

static double proxy_regret(const struct fixture *x, size_t i, const double *maxima)
{
    size_t n = (size_t)x->e.replications;
    double *oracle = malloc(n * sizeof *oracle), sum = 0;
    sorted_values(x, 2, i, FX_HORIZONS - 1, -1, oracle);
    for (size_t k = 0; k < n; k++) sum += oracle[k];
    double q = mk_share_sorted(oracle, n, sum / (double)n), best = mk_quantile_sorted(oracle, n, q);
    free(oracle);
    return (best - mk_quantile_sorted(maxima, n, q)) / best;
}

/* Number of statistics of a cell that differ from the ones computed here. */
static int cell_errors(const struct fixture *x, const struct mk_cell *c, size_t p, size_t i, size_t h)
{
    size_t n = (size_t)x->e.replications, best = x->optimal[i * FX_HORIZONS + h], locked = 0;
    double *v = malloc(n * sizeof *v);
    int errors = 0;
    for (size_t k = 0; k < FX_ARMS; k++) {
        int lacks = i == 1 && k == 1;
        sorted_values(x, p, i, h, (int)k, v);
        errors += lacks ? !isnan(c->mean_pulls[k]) : !moments_agree(v, n, c->mean_pulls[k], c->se_pulls[k]);
        for (size_t q = 0; q < MK_QUANTILES; q++) {
            double got = c->quantile_pulls[q * FX_ARMS + k];
            errors += lacks ? !isnan(got) : got != mk_quantile_sorted(v, n, mk_quantile_levels[q]);
        }
        for (size_t r = 0; k == best && r < n; r++) locked += 2 * v[r] < (double)x->horizon[h];
    }
    sorted_values(x, p, i, h, -1, v);
    errors += !moments_agree(v, n, c->mean_max, c->se_max);
    for (size_t q = 0; q < MK_QUANTILES; q++)
        errors += c->quantile_max[q] != mk_quantile_sorted(v, n, mk_quantile_levels[q]);
    errors += c->lock_out_share != (double)locked / (double)n;
    errors += !close_to(c->proxy_regret, proxy_regret(x, i, v), 1e-12);
    free(v);
    return errors;
}

static int raw_errors(const struct fixture *x, struct mk_result *r, size_t p, size_t i, size_t h)
{
    size_t n = (size_t)x->e.replications;
    uint64_t *pulls = malloc(n * FX_ARMS * sizeof *pulls);
    double *max = malloc(n * sizeof *max);
    struct mk_error err;
    int errors = mk_result_raw(r, p, i, h, pulls, max, &err) != MK_OK;
    for (size_t k = 0; !errors && k < n; k++) {
        errors += max[k] != fixture_max(x, p, h, i * n + k);
        for (size_t a = 0; a < FX_ARMS; a++) errors += pulls[k * FX_ARMS + a] != fixture_pulls(x, p, h, i * n + k, a);
    }
    free(pulls);
    free(max);
    return errors;
}

/* Reads everything; returns the number of differences. */
static int result_errors(const struct fixture *x, const char *path, struct mk_error *err)
{
    struct mk_result *r = NULL;
    int errors = mk_result_open(&r, path, err) != MK_OK;
    for (size_t p = 0; r && p < FX_ENTRIES; p++)
        for (size_t i = 0; i < FX_INSTANCES; i++)
            for (size_t h = 0; h < FX_HORIZONS; h++) {
                struct mk_cell *c = NULL;
                if (mk_result_cell(r, p, i, h, &c, err))
                    errors++;
                else
                    errors += cell_errors(x, c, p, i, h);
                mk_cell_free(c);
                if (x->e.keep == MK_KEEP_PULLS) errors += raw_errors(x, r, p, i, h);
            }
    mk_result_free(r);
    return errors;
}

static void check_round_trip(void)
{
    static const uint64_t sizes[] = {1, 7, 128, 299, 10000};
    struct fixture x;
    struct mk_error err = {0, ""};
    for (int keep = 0; keep < 2; keep++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            fixture_init(&x, REPLICATIONS, keep ? MK_KEEP_SUMMARY : MK_KEEP_PULLS);
            int code = fixture_write(&x, in_directory("trip.h5"), sizes[s], &err);
            int errors = code ? -1 : result_errors(&x, in_directory("trip.h5"), &err);
            CHECK(errors == 0, "keep: %s, blocks of %d units: %d differences %s", keep ? "summary" : "pulls",
                  (int)sizes[s], errors, err.text);
        }
    fixture_init(&x, 1, MK_KEEP_PULLS);
    int code = fixture_write(&x, in_directory("one.h5"), 1, &err);
    CHECK(!code && result_errors(&x, in_directory("one.h5"), &err) == 0, "one replication: standard errors are NaN");
    fixture_init(&x, 20000, MK_KEEP_PULLS); /* several chunks to an instance */
    code = fixture_write(&x, in_directory("many.h5"), 4096, &err);
    CHECK(!code && result_errors(&x, in_directory("many.h5"), &err) == 0, "20000 replications");
}

static void count_item(void *context, const char *key, const char *value)
{
    int *seen = context;
    if (strcmp(key, "experiment") == 0 && strcmp(value, "name: fixture\nreplications: 5\n") == 0) *seen |= 1;
    if (strcmp(key, "revision") == 0 && *value) *seen |= 2;
    if (strcmp(key, "volatile/threads") == 0 && strcmp(value, "2") == 0) *seen |= 4;
    if (strcmp(key, "volatile/seconds") == 0 && strcmp(value, "1.25") == 0) *seen |= 8;
    if (strcmp(key, "volatile/command_line") == 0 && strcmp(value, "maxk run fixture.yaml") == 0) *seen |= 16;
    if (strcmp(key, "volatile/date") == 0 && strlen(value) == 20 && value[19] == 'Z') *seen |= 32;
}

static void check_info(void)
{
    struct fixture x;
    struct mk_error err = {0, ""};
    struct mk_result *r = NULL;
    fixture_init(&x, 20, MK_KEEP_SUMMARY);
    int seen = 0, code = fixture_write(&x, in_directory("info.h5"), 9, &err);
    if (!code) code = mk_result_open(&r, in_directory("info.h5"), &err);
    CHECK(code == MK_OK, "written and opened %s", err.text);
    if (code) return;
    const struct mk_result_info *i = mk_result_info(r);
    CHECK(strcmp(i->name, "fixture") == 0 && strcmp(i->title, x.e.title) == 0 && strcmp(i->source, "") == 0, "texts");
    CHECK(i->n_policies == 3 && i->n_instances == 2 && i->n_horizons == 3 && i->n_arms == 3 && i->replications == 20 &&
              i->n_quantiles == MK_QUANTILES && !i->has_pulls,
          "sizes");
    int same = 1;
    for (size_t p = 0; p < 3; p++)
        same &= strcmp(i->policy[p], x.entry[p].label) == 0 && strcmp(i->policy_name[p], x.entry[p].type->name) == 0 &&
                strcmp(i->policy_engine[p], x.engine[p]) == 0 && i->policy_parameters[p][0] == '{';
    CHECK(same, "policies in the order of the experiment, a label with a slash among them");
    CHECK(strcmp(i->arm_label[1], "zweiter Ärm") == 0 && strcmp(i->instance[1], "second") == 0 &&
              i->family[0][0] == '\0' && i->horizon[2] == 1000000000000 && i->quantile[6] == 0.5,
          "coordinates");
    CHECK(mk_truth_best(i->truth, 0, 2) == 2 && i->truth->gap[0] == 0 && isnan(i->truth->gap[3 * FX_ARMS + 1]) &&
              i->truth->support_high[2] == 1,
          "facts");
    code = mk_result_provenance(r, count_item, &seen, &err);
    CHECK(code == MK_OK && seen == 63, "provenance");
    double max[20];
    code = mk_result_raw(r, 0, 0, 0, NULL, max, &err);
    CHECK(code == MK_EINPUT && strstr(err.text, "keep: summary"), "no raw values: %s", err.text);
    struct mk_cell *c = NULL;
    code = mk_result_cell(r, 3, 0, 0, &c, &err);
    CHECK(code == MK_EINPUT && !c, "no such cell: %s", err.text);
    mk_result_free(r);
}

/* ---- writing that fails ---- */

/* Number of entries of the directory, to find leftover files. */
static int leftovers(const char *name)
{
    char command[320];
    snprintf(command, sizeof command, "ls -a %s | grep -c '^%s'", directory, name);
    FILE *p = popen(command, "r");
    int n = -1;
    if (!p || fscanf(p, "%d", &n) != 1) n = -1;
    if (p) pclose(p);
    return n;
}

static void check_refusals(void)
{
    struct fixture x;
    struct mk_error err = {0, ""};
    struct mk_writer *w = NULL;
    struct mk_volatile v = {"", 1, 0};
    fixture_init(&x, 5, MK_KEEP_PULLS);
    int code = mk_writer_open(&w, "/nonexistent/a.h5", &x.e, &x.truth, x.engine, 1, &err);
    CHECK(code == MK_EINPUT && !w &&
              strcmp(err.text, "/nonexistent/a.h5: cannot be written: No such file or directory") == 0,
          "%s", err.text);
    code = mk_writer_open(&w, directory, &x.e, &x.truth, x.engine, 1, &err);
    CHECK(code == MK_EINPUT && !w && strstr(err.text, ": cannot be written: Is a directory"), "%s", err.text);
    code = mk_writer_open(&w, "/dev/null", &x.e, &x.truth, x.engine, 1, &err);
    CHECK(code == MK_EINPUT && !w && strstr(err.text, "not a regular file"), "%s", err.text);

    code = mk_writer_open(&w, in_directory("refused.h5"), &x.e, &x.truth, x.engine, 1, &err);
    CHECK(code == MK_OK && leftovers("refused") == 1 && access(in_directory("refused.h5"), F_OK),
          "before the commit there is only the temporary file");
    struct mk_block b = fixture_block(&x, 3, 2);
    CHECK(!code && mk_writer_block(w, &b, &err) == MK_EFAIL, "a block out of order: %s", err.text);
    b.first_unit = 0;
    CHECK(!code && mk_writer_block(w, &b, &err) == MK_OK, "the first block");
    CHECK(!code && mk_writer_commit(w, &v, &err) == MK_EFAIL, "commit with units missing: %s", err.text);
    b.n_units = 9;
    b.first_unit = 2;
    CHECK(!code && mk_writer_block(w, &b, &err) == MK_EFAIL, "more units than the run has: %s", err.text);
    fixture_free_block(&b);
    mk_writer_free(w);
    CHECK(leftovers("refused") == 0, "an uncommitted file is removed");

    x.entry[1].label = x.entry[0].label;
    code = mk_writer_open(&w, in_directory("refused.h5"), &x.e, &x.truth, x.engine, 1, &err);
    CHECK(code == MK_EIO && !w && leftovers("refused") == 0, "equal labels: %s", err.text);
}

/* The program again, as `test_store limited FILE KEEP`: an OpenMP program cannot continue in a forked child. With a
 * limit on the size of files every write beyond it fails, as on a full disk.
 * 0 written, 1 MK_EIO with its line, 2 otherwise. */
static int write_limited(const char *path, const char *keep)
{
    struct fixture x;
    struct mk_error err = {0, ""};
    fixture_init(&x, REPLICATIONS, strcmp(keep, "pulls") == 0 ? MK_KEEP_PULLS : MK_KEEP_SUMMARY);
    signal(SIGXFSZ, SIG_IGN);
    int code = fixture_write(&x, path, 50, &err);
    if (code == MK_OK) return 0;
    return code == MK_EIO && strstr(err.text, "limited.h5: write failed: File too large") ? 1 : 2;
}

static int write_with_limit(enum mk_keep keep, rlim_t limit)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {limit, limit};
        alarm(60);
        setrlimit(RLIMIT_FSIZE, &most);
        execl("/proc/self/exe", "test_store", "limited", in_directory("limited.h5"),
              keep == MK_KEEP_PULLS ? "pulls" : "summary", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_full_disk(void)
{
    struct fixture x;
    struct mk_error err = {0, ""};
    struct stat before, after;
    int failed = 0, other = 0, left = 0;
    for (int keep = 0; keep < 2; keep++) {
        fixture_init(&x, REPLICATIONS, keep ? MK_KEEP_SUMMARY : MK_KEEP_PULLS);
        int code = fixture_write(&x, in_directory("limited.h5"), 50, &err);
        CHECK(code == MK_OK && !stat(in_directory("limited.h5"), &before), "an earlier result %s", err.text);
        for (off_t limit = 0; limit < before.st_size; limit += before.st_size / 13 + 1) {
            int got = write_with_limit(x.e.keep, (rlim_t)limit);
            failed += got == 1;
            other += got != 1;
            left += leftovers("limited") != 1;
        }
        CHECK(write_with_limit(x.e.keep, (rlim_t)before.st_size * 2) == 0, "enough room");
        CHECK(!stat(in_directory("limited.h5"), &after) && result_errors(&x, in_directory("limited.h5"), &err) == 0,
              "the result is whole");
    }
    CHECK(failed > 20 && other == 0, "no room: MK_EIO and one line, %d times (%d otherwise)", failed, other);
    CHECK(left == 0, "and nothing but the earlier result is left");
}

/* ---- damaged files ---- */

static char *load(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    struct stat st;
    *n = 0;
    if (f && !fstat(fileno(f), &st) && (bytes = malloc((size_t)st.st_size)))
        *n = fread(bytes, 1, (size_t)st.st_size, f);
    if (f) fclose(f);
    return bytes;
}

static void save(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) abort();
}

static void ignore_item(void *context, const char *key, const char *value)
{
    *(size_t *)context += strlen(key) + strlen(value);
}

/* Opens and reads everything: 0 read, 1 rejected with a line of error, 2 anything else. */
static int read_damaged(const char *path)
{
    struct mk_result *r = NULL;
    struct mk_error err = {0, ""};
    size_t length = 0;
    int code = mk_result_open(&r, path, &err);
    if (!code) code = mk_result_provenance(r, ignore_item, &length, &err);
    const struct mk_result_info *i = r ? mk_result_info(r) : NULL;
    for (size_t p = 0; !code && p < i->n_policies; p++)
        for (size_t n = 0; !code && n < i->n_instances; n++)
            for (size_t h = 0; !code && h < i->n_horizons; h++) {
                struct mk_cell *c = NULL;
                uint64_t *pulls = i->replications < 1000 ? calloc(i->replications * i->n_arms, sizeof *pulls) : NULL;
                code = mk_result_cell(r, p, n, h, &c, &err);
                if (!code && i->has_pulls && pulls) code = mk_result_raw(r, p, n, h, pulls, NULL, &err);
                mk_cell_free(c);
                free(pulls);
            }
    mk_result_free(r);
    int told = (code == MK_EINPUT || code == MK_ENOMEM) && strncmp(err.text, path, strlen(path)) == 0;
    return !code ? 0 : told ? 1 : 2;
}

/* Damage number k of a file. */
struct damage {
    char *bytes;
    size_t n, cuts; /* cuts: the first of them cut the file short, others change one byte */
    uint64_t seed;
};

static void save_damaged(const struct damage *d, size_t k)
{
    struct mk_pcg64 g;
    if (k < d->cuts) {
        save(in_directory("damaged.h5"), d->bytes, d->n * k / d->cuts);
        return;
    }
    mk_pcg64_from_key(&g, mk_key_word(mk_key_word(mk_key_text(mk_key_start(), "damage"), d->seed), k));
    size_t at = (size_t)mk_uniform_below(&g, d->n);
    char old = d->bytes[at];
    d->bytes[at] = (char)(old ^ (char)(1 + mk_uniform_below(&g, 255)));
    save(in_directory("damaged.h5"), d->bytes, d->n);
    d->bytes[at] = old;
}

/* Damages first … last - 1, in a separate process. Returns how many were rejected, -1 after a crash, a hang or
 * nonsense. */
static int refused(const struct damage *d, size_t first, size_t last)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int count = 0;
        alarm(120);
        for (size_t k = first; k < last; k++) {
            save_damaged(d, k);
            int got = read_damaged(in_directory("damaged.h5"));
            if (got == 2) _exit(255);
            count += got;
        }
        _exit(count);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) < 255 ? WEXITSTATUS(status) : -1;
}

static void check_damage(enum mk_keep keep, size_t cuts, size_t changes)
{
    enum { BATCH = 25 };
    struct fixture x;
    struct mk_error err = {0, ""};
    const char *what = keep == MK_KEEP_PULLS ? "pulls" : "summary";
    size_t bad = 0, cut = 0, changed = 0;
    fixture_init(&x, 40, keep);
    if (fixture_write(&x, in_directory("whole.h5"), 40, &err)) abort();
    struct damage d = {NULL, 0, cuts, (uint64_t)keep};
    d.bytes = load(in_directory("whole.h5"), &d.n);
    if (!d.bytes) abort();
    for (size_t k = 0; k < cuts + changes; k += BATCH) { /* cuts is a multiple of BATCH */
        int got = refused(&d, k, k + BATCH);
        if (got < 0) printf("# one of the damages %zu to %zu of keep: %s\n", k, k + BATCH - 1, what);
        bad += got < 0;
        *(k < cuts ? &cut : &changed) += got < 0 ? 0 : (size_t)got;
    }
    CHECK(cut == cuts, "keep: %s: cut short at %zu places: %zu refused", what, cuts, cut);
    CHECK(bad == 0 && changed > 0, "keep: %s: %zu bytes changed: %zu refused, the others read, no crash", what, changes,
          changed);
    free(d.bytes);
}

static void check_foreign(void)
{
    struct mk_result *r = NULL;
    struct mk_error err = {0, ""};
    save(in_directory("text.h5"), "hello\n", 6);
    save(in_directory("empty.h5"), "", 0);
    const char *const names[] = {"absent.h5", "text.h5", "empty.h5", ""};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int code = mk_result_open(&r, in_directory(names[k]), &err);
        CHECK(code == MK_EINPUT && !r && strncmp(err.text, directory, strlen(directory)) == 0, "%s", err.text);
    }
}

static int write_for_python(const char *to)
{
    struct fixture x;
    struct mk_error err = {0, ""};
    static const struct {
        const char *name;
        uint64_t replications, block;
        enum mk_keep keep;
    } files[] = {{"pulls", REPLICATIONS, 64, MK_KEEP_PULLS},
                 {"again", REPLICATIONS, 1000, MK_KEEP_PULLS},
                 {"summary", 5000, 512, MK_KEEP_SUMMARY},
                 {"single", 1, 1, MK_KEEP_PULLS}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.h5", to, files[k].name);
        fixture_init(&x, files[k].replications, files[k].keep);
        if (fixture_write(&x, path, files[k].block, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) return write_for_python(argv[2]);
    if (argc == 4 && strcmp(argv[1], "limited") == 0) return write_limited(argv[2], argv[3]);
    strcpy(directory, access("/dev/shm", W_OK) ? "/tmp/maxk_store_XXXXXX" : "/dev/shm/maxk_store_XXXXXX");
    if (!mkdtemp(directory)) abort();
    check_round_trip();
    check_info();
    check_refusals();
    check_full_disk();
    check_foreign();
    check_damage(MK_KEEP_PULLS, 200, 200);
    check_damage(MK_KEEP_SUMMARY, 25, 100);
    char command[320];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    CHECK(system(command) == 0, "cleaned up");
    return CHECK_EXIT;
}
