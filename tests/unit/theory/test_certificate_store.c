/* Certificates that are kept: computed once, never stale, never damaged, the same bits for every number of threads. */
#include "analysis/theory/certificates/certificate_store.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/digest.h"
#include "tests/support/check.h"

enum { ARMS = 3, BAND_SIDES = 2 * ARMS, REQUESTS = 6 };

static char result[64], file[96]; /* a result that need not exist, and what is kept next to it */

struct bench {
    struct mk_dist *dist[ARMS];
    struct mk_known_cdf arm[ARMS];
};

static void make_arms(struct bench *b, double a)
{
    static const double s[] = {1.01, 1.05, 1.1};
    struct mk_error err;
    for (size_t k = 0; k < ARMS; k++) {
        CHECK(mk_dist_make(&b->dist[k], "power", &err, k == 0 ? a : 4.0, s[k]) == MK_OK, "arm %zu", k);
        b->arm[k] = (struct mk_known_cdf){.dist = b->dist[k]};
    }
}

static void free_arms(struct bench *b)
{
    for (size_t k = 0; k < ARMS; k++) mk_dist_free(b->dist[k]);
}

static struct mk_certificate_request request(const struct bench *b, double alpha)
{
    return (struct mk_certificate_request){{.arms = ARMS, .arm = b->arm, .horizon = 200, .alpha = alpha, .width = NAN},
                                           MK_CERTIFIED_BAND,
                                           0.5,
                                           MK_EVERY_ARM};
}

static struct mk_certificate_store *open_store(void)
{
    struct mk_certificate_store *s = NULL;
    struct mk_error err;
    CHECK(mk_certificate_store_open(&s, result, &err) == MK_OK, "open");
    return s;
}

/* Fills, saves and closes; returns how many sides had to be computed. */
static size_t computed(const struct mk_certificate_request *q, size_t n)
{
    struct mk_certificate_store *s = open_store();
    struct mk_error err;
    CHECK(mk_certificate_store_fill(s, q, n, NULL, &err) == MK_OK, "fill");
    CHECK(mk_certificate_store_save(s, &err) == MK_OK, "save");
    const size_t count = mk_certificate_store_computed(s);
    mk_certificate_store_free(s);
    return count;
}

static unsigned char *read_file(size_t *n)
{
    FILE *f = fopen(file, "rb");
    unsigned char *bytes = calloc(1, 1 << 20);
    CHECK(f && bytes, "%s", file);
    *n = f && bytes ? fread(bytes, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return bytes;
}

static void write_file(const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(file, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "%s", file);
}

static bool same_bits(const struct mk_certificate *a, const struct mk_certificate *b)
{
    bool same = a && b && a->arms == b->arms;
    for (size_t k = 0; same && k < a->arms; k++) {
        const struct mk_certified_arm *x = &a->arm[k], *y = &b->arm[k];
        same = x->n == y->n && x->lower == y->lower && x->upper == y->upper && x->refinement == y->refinement &&
               x->lock_out == y->lock_out && x->max == y->max && memcmp(x->m, y->m, x->n * sizeof *x->m) == 0 &&
               memcmp(x->tail, y->tail, x->n * sizeof *x->tail) == 0;
    }
    return same;
}

/* ---- tests ---- */

static void test_computed_once(void)
{
    struct bench b;
    struct mk_certificate_request q[REQUESTS];
    struct mk_certificate *kept = NULL, *fresh = NULL;
    struct mk_error err;
    make_arms(&b, 3);
    for (size_t i = 0; i < REQUESTS; i++) q[i] = request(&b, 0.2 + 0.1 * (double)(i / 2)); /* each twice */
    CHECK(computed(q, REQUESTS) == REQUESTS / 2 * BAND_SIDES, "equal requests are computed once");
    CHECK(computed(q, REQUESTS) == 0, "nothing is computed again");

    struct mk_certificate_store *s = open_store();
    CHECK(mk_certificate_store_count(s) == REQUESTS / 2 * BAND_SIDES && !*mk_certificate_store_note(s), "read");
    CHECK(mk_certificate_store_get(s, &q[0], &kept, &err) == MK_OK, "kept");
    CHECK(mk_certificate_store_computed(s) == 0, "it was read");
    CHECK(mk_certificate_new(&fresh, &q[0].race, MK_CERTIFIED_BAND, 0.5, &err) == MK_OK, "computed");
    CHECK(same_bits(kept, fresh) && kept->arm[0].n > 1 && kept->arm[0].lower > 1, "the same bits");
    mk_certificate_free(kept);
    mk_certificate_free(fresh);
    mk_certificate_store_free(s);
    free_arms(&b);
    unlink(file);
}

/* Everything that a certificate depends on is in its key. */
static void test_changes(void)
{
    struct bench b, other;
    struct mk_dist *bernoulli = NULL;
    struct mk_error err;
    make_arms(&b, 3);
    make_arms(&other, 3.0000000000000004);
    struct mk_certificate_request q = request(&b, 0.3);
    CHECK(computed(&q, 1) == BAND_SIDES, "the first");
#define CHANGES(change, what)                                                                                          \
    do {                                                                                                               \
        struct mk_certificate_request c = q;                                                                           \
        change;                                                                                                        \
        CHECK(computed(&c, 1) == BAND_SIDES, "computed again for " what);                                              \
        CHECK(computed(&c, 1) == 0 && computed(&q, 1) == 0, "both are kept: " what);                                   \
    } while (0)
    CHANGES(c.race.alpha = nextafter(0.3, 1), "another alpha");
    CHANGES(c.race.power = 1.5, "another power");
    CHANGES(c.race.arm = other.arm, "another parameter");
    CHANGES(c.race.horizon = 201, "another T");
    CHANGES(c.race.shift = 1, "another shift");
    CHANGES(c.race.scale = MK_RACE_BY_LARGEST, "scaled rewards");
    CHANGES(c.race.scale = MK_RACE_BY_LARGEST; c.race.before = 3, "rewards before");
    CHANGES(c.race.scale = MK_RACE_BY_RANGE; c.race.width = 1, "a range");
    CHANGES(c.race.scale = MK_RACE_BY_RANGE; c.race.width = 2, "another width");
    CHANGES(c.refinement = 0.4, "another refinement");
    struct mk_known_cdf arm[ARMS];
    memcpy(arm, b.arm, sizeof arm);
    arm[1].band = 0.01;
    CHANGES(c.race.arm = arm, "a band");
    memcpy(arm, b.arm, sizeof arm);
    arm[0] = b.arm[1];
    arm[1] = b.arm[0];
    CHANGES(c.race.arm = arm, "another order of arms");
    memcpy(arm, b.arm, sizeof arm);
    CHECK(mk_dist_make(&bernoulli, "bernoulli", &err, 0.5) == MK_OK, "another family");
    arm[2] = (struct mk_known_cdf){.dist = bernoulli};
    CHANGES(c.race.arm = arm, "another family");
    struct mk_certificate_request upper = q;
    upper.sides = MK_CERTIFIED_UPPER;
    CHECK(computed(&upper, 1) == 0, "the upper side is part of the band");
    mk_dist_free(bernoulli);
    free_arms(&b);
    free_arms(&other);
    unlink(file);
}

/* An arm that is not needed is not computed, and has no bound. */
static void test_without(void)
{
    struct bench b;
    struct mk_certificate *c = NULL, *all = NULL;
    struct mk_error err;
    make_arms(&b, 3);
    struct mk_certificate_request q = request(&b, 0.3);
    q.sides = MK_CERTIFIED_UPPER;
    q.without = 1;
    struct mk_certificate_store *s = open_store();
    CHECK(mk_certificate_store_get(s, &q, &c, &err) == MK_OK && mk_certificate_store_computed(s) == ARMS - 1, "two");
    q.without = MK_EVERY_ARM;
    CHECK(mk_certificate_store_get(s, &q, &all, &err) == MK_OK && mk_certificate_store_computed(s) == ARMS, "three");
    CHECK(c->arm[1].upper == 198 && isnan(c->arm[1].refinement), "T - K + 1");
    CHECK(all->arm[1].upper < 198 && all->arm[0].upper == c->arm[0].upper && all->arm[2].upper == c->arm[2].upper,
          "the other arms' bounds are the same");
    mk_certificate_free(c);
    mk_certificate_free(all);
    mk_certificate_store_free(s);
    free_arms(&b);
}

/* The file of one thread is that of three, whether threads share sides or the points of one. */
static void test_threads(void)
{
    struct bench b;
    struct mk_certificate_request q[REQUESTS];
    size_t length[3];
    unsigned char *bytes[3];
    const int threads = omp_get_max_threads();
    make_arms(&b, 3);
    for (size_t i = 0; i < REQUESTS; i++) q[i] = request(&b, 0.2 + 0.1 * (double)i);
    for (int run = 0; run < 3; run++) {
        omp_set_num_threads(run == 0 ? 1 : 3);
        if (run == 2) q[0].sides = MK_CERTIFIED_UPPER; /* three sides on three threads, the rest afterwards */
        if (run == 2) CHECK(computed(q, 1) == ARMS, "few");
        q[0].sides = MK_CERTIFIED_BAND;
        CHECK(computed(q, REQUESTS) == REQUESTS * BAND_SIDES - (run == 2 ? ARMS : 0), "all");
        bytes[run] = read_file(&length[run]);
        unlink(file);
    }
    omp_set_num_threads(threads);
    for (int run = 1; run < 3; run++)
        CHECK(length[run] == length[0] && memcmp(bytes[run], bytes[0], length[0]) == 0, "run %d: the same file", run);
    for (int run = 0; run < 3; run++) free(bytes[run]);
    free_arms(&b);
}

/* A file whose content is not what was written is not used, said to be damaged, and replaced. */
static void test_damage(void)
{
    struct bench b;
    size_t n, again;
    make_arms(&b, 3);
    struct mk_certificate_request q = request(&b, 0.3);
    CHECK(computed(&q, 1) == BAND_SIDES, "the first");
    unsigned char *good = read_file(&n), *bad = malloc(n);
    for (size_t at = 0; at < n; at += at < 64 ? 1 : 97) {
        memcpy(bad, good, n);
        bad[at] ^= 0x10;
        write_file(bad, n);
        struct mk_certificate_store *s = open_store();
        CHECK(mk_certificate_store_count(s) == 0 && *mk_certificate_store_note(s), "byte %zu", at);
        mk_certificate_store_free(s);
    }
    for (size_t length = 0; length < n; length += length < 96 ? 8 : 61) {
        write_file(good, length);
        struct mk_certificate_store *s = open_store();
        CHECK(mk_certificate_store_count(s) == 0 && *mk_certificate_store_note(s), "%zu bytes", length);
        mk_certificate_store_free(s);
    }
    CHECK(computed(&q, 1) == BAND_SIDES, "computed again");
    free(bad);
    bad = read_file(&again);
    CHECK(again == n && memcmp(good, bad, n) == 0, "and replaced");
    free(bad);

    /* A whole file of another version has nothing to say, and is not damaged. */
    uint64_t *word = (uint64_t *)(void *)good;
    struct mk_digest content = MK_DIGEST_START;
    word[1] ^= 1;
    for (size_t k = 0; k < n / 8 - 2; k++) mk_digest_add(&content, word[k]);
    memcpy(word + n / 8 - 2, &content, sizeof content);
    write_file(good, n);
    struct mk_certificate_store *s = open_store();
    CHECK(mk_certificate_store_count(s) == 0 && !*mk_certificate_store_note(s), "another version");
    mk_certificate_store_free(s);
    CHECK(computed(&q, 1) == BAND_SIDES && computed(&q, 1) == 0, "and is replaced");
    free(good);
    free_arms(&b);
    unlink(file);
}

/* Where the file cannot be written, certificates are there all the same; of two writers none loses. */
static void test_writing(void)
{
    struct bench b;
    struct mk_error err = {0, ""};
    struct mk_certificate *c = NULL;
    make_arms(&b, 3);
    struct mk_certificate_request q = request(&b, 0.3), r = request(&b, 0.4);
    CHECK(mkdir(file, 0777) == 0, "%s", file);
    struct mk_certificate_store *s = open_store();
    CHECK(*mk_certificate_store_note(s), "a folder in its place");
    CHECK(mk_certificate_store_get(s, &q, &c, &err) == MK_OK, "computed");
    CHECK(mk_certificate_store_save(s, &err) == MK_EINPUT && strstr(err.text, file), "not kept: %s", err.text);
    mk_certificate_free(c);
    CHECK(rmdir(file) == 0, "%s", file);

    struct mk_certificate_store *other = open_store();
    CHECK(mk_certificate_store_fill(other, &r, 1, NULL, &err) == MK_OK, "the other's");
    CHECK(mk_certificate_store_save(other, &err) == MK_OK && mk_certificate_store_save(s, &err) == MK_OK, "both");
    CHECK(computed(&q, 1) == 0 && computed(&r, 1) == 0, "what both have computed");
    mk_certificate_store_free(s);
    mk_certificate_store_free(other);
    free_arms(&b);
    unlink(file);
}

/* A family of a plugin: its parameters do not say what its code computes. */
static void test_plugin_family(void)
{
    struct bench b;
    struct stat st;
    make_arms(&b, 3);
    const struct mk_dist_type own = *b.dist[2]->type;
    b.dist[2]->type = &own;
    struct mk_certificate_request q = request(&b, 0.3);
    CHECK(computed(&q, 1) == BAND_SIDES && computed(&q, 1) == BAND_SIDES, "always computed");
    CHECK(stat(file, &st) != 0, "no file");
    free_arms(&b);
}

int main(void)
{
    snprintf(result, sizeof result, "/tmp/maxk_store_%ld.h5", (long)getpid());
    snprintf(file, sizeof file, "%s" MK_CERTIFICATES_SUFFIX, result);
    test_computed_once();
    test_changes();
    test_without();
    test_threads();
    test_damage();
    test_writing();
    test_plugin_family();
    return CHECK_EXIT;
}
