#include "analysis/theory/certificates/certificate_store.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_version.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/theory/certificates/certificate_pair.h"
#include "analysis/theory/certificates/certificate_sources.h"
#include "sim/base/atomic_file.h"
#include "sim/base/digest.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/progress.h"
#include "sim/run/engine/run.h"

/* ---- sides in memory ---- */

struct kept_side {
    struct mk_digest key;
    bool lasting; /* goes into the file */
    struct mk_certified_side side;
};

/* In ascending order of keys, no two equal. Zero-filled: none. */
struct kept_sides {
    size_t n;
    struct kept_side *at;
};

static int key_order(struct mk_digest a, struct mk_digest b)
{
    for (int k = 0; k < 2; k++)
        if (a.lane[k] != b.lane[k]) return a.lane[k] < b.lane[k] ? -1 : 1;
    return 0;
}

static int kept_side_order(const struct kept_side *a, const struct kept_side *b)
{
    return key_order(a->key, b->key);
}

/* NULL: not there. */
static const struct mk_certified_side *kept_sides_find(const struct kept_sides *s, struct mk_digest key)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = key_order(s->at[middle].key, key);
        if (order == 0) return &s->at[middle].side;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Appends a side whose key is larger than all others, and takes over what it owns. */
static int kept_sides_add(struct kept_sides *s, struct kept_side *side, struct mk_error *err)
{
    if (!MK_GROW(s->at, s->n, 1)) return mk_fail_memory(err, "certificates");
    s->at[s->n++] = *side;
    side->side = MK_NO_SIDE;
    return MK_OK;
}

/* Those of a, and those of b that a does not have, which share what they own; `spare`, or nothing, gets the others. */
static int unite(const struct kept_sides *a, const struct kept_sides *b, struct kept_sides *both,
                 void (*spare)(struct mk_certified_side *), struct mk_error *err)
{
    size_t i = 0, j = 0;
    *both = (struct kept_sides){0, NULL};
    if (!MK_GROW(both->at, 0, a->n + b->n)) return mk_fail_memory(err, "certificates");
    while (i < a->n || j < b->n) {
        const int order = i == a->n ? 1 : j == b->n ? -1 : kept_side_order(&a->at[i], &b->at[j]);
        if (order != 0) {
            both->at[both->n++] = order < 0 ? a->at[i++] : b->at[j++];
        } else {
            if (spare) spare(&b->at[j].side);
            j++;
        }
    }
    return MK_OK;
}

/* Moves those that `to` does not have. */
static int kept_sides_merge(struct kept_sides *to, struct kept_sides *from, struct mk_error *err)
{
    struct kept_sides both;
    const int code = unite(to, from, &both, mk_certified_side_clear, err);
    if (code) return code;
    free(to->at);
    free(from->at);
    *to = both;
    *from = (struct kept_sides){0, NULL};
    return MK_OK;
}

static void kept_sides_clear(struct kept_sides *s)
{
    for (size_t k = 0; k < s->n; k++) mk_certified_side_clear(&s->at[k].side);
    free(s->at);
    *s = (struct kept_sides){0, NULL};
}

/* ---- the file ----
 *
 * Words of 8 bytes in the machine's order: magic (which another order does not have), version (2), number of sides; of
 * every side key (2), mean, refinement, maximum (2), by, n, m (n), tail (n); a digest of all words before it (2). */

static const uint64_t magic = UINT64_C(0x3265746d6b78616d); /* "maxkmte2" */
enum { HEAD_WORDS = 4, SIDE_WORDS = 8, DIGEST_WORDS = 2 };
static const off_t most_bytes = (off_t)1 << 30;

static struct mk_digest digest_of_words(const uint64_t *word, size_t n)
{
    struct mk_digest d = MK_DIGEST_START;
    for (size_t i = 0; i < n; i++) mk_digest_add(&d, word[i]);
    return d;
}

static double as_real(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t as_word(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static int refuse(const char *path, const char *why, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "%s: %s: the certificates are computed again", path, why);
}

/* All words of a regular file, malloc'ed; NULL with *n = 0: there is none. */
static int read_words(const char *path, uint64_t **out, size_t *n, struct mk_error *err)
{
    struct stat st;
    size_t got = 0;
    *out = NULL;
    *n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return MK_OK;
    int code = fd >= 0 && fstat(fd, &st) == 0 ? MK_OK : refuse(path, strerror(errno), err);
    if (!code && (!S_ISREG(st.st_mode) || st.st_size > most_bytes || st.st_size % (off_t)sizeof **out))
        code = refuse(path, "not a file of certificates", err);
    const size_t bytes = code ? 0 : (size_t)st.st_size;
    if (!code && !(*out = malloc(bytes + sizeof **out))) code = mk_fail_memory(err, "certificates");
    while (!code && got < bytes) {
        const ssize_t more = read(fd, (char *)*out + got, bytes - got);
        if (more <= 0) code = refuse(path, more < 0 ? strerror(errno) : "shorter than before", err);
        if (more > 0) got += (size_t)more;
    }
    if (fd >= 0) close(fd);
    if (code) {
        free(*out);
        *out = NULL;
        return code;
    }
    *n = bytes / sizeof **out;
    return MK_OK;
}

/* One side from *at on, which moves behind it. */
static int read_side(const char *path, const uint64_t *word, size_t end, size_t *at, struct kept_side *out,
                     struct mk_error *err)
{
    if (end - *at < SIDE_WORDS) return refuse(path, "damaged", err);
    const uint64_t *head = word + *at;
    const size_t n = (size_t)head[SIDE_WORDS - 1];
    if (n > (end - *at - SIDE_WORDS) / 2) return refuse(path, "damaged", err);
    *out = (struct kept_side){.key = {{head[0], head[1]}}, .lasting = true};
    struct mk_certified_side *s = &out->side;
    s->mean = as_real(head[2]);
    s->refinement = as_real(head[3]);
    s->maximum = (struct mk_certified_maximum){as_real(head[4]), as_real(head[5])};
    s->by = (enum mk_certified_by)head[6];
    s->n = n;
    s->m = malloc((n + 1) * sizeof *s->m);
    s->tail = malloc((n + 1) * sizeof *s->tail);
    if (!s->m || !s->tail) {
        mk_certified_side_clear(s);
        return mk_fail_memory(err, "certificates");
    }
    bool good = s->mean >= 0 && head[6] <= MK_BY_PLAY;
    for (size_t k = 0; good && k < n; k++) {
        s->m[k] = head[SIDE_WORDS + k];
        s->tail[k] = as_real(head[SIDE_WORDS + n + k]);
        good = (k == 0 || s->m[k] > s->m[k - 1]) && s->tail[k] >= 0 && s->tail[k] <= 1;
    }
    if (!good) mk_certified_side_clear(s);
    *at += SIDE_WORDS + 2 * n;
    return good ? MK_OK : refuse(path, "damaged", err);
}

static int read_sides(struct kept_sides *s, const char *path, const uint64_t *word, size_t n, struct mk_error *err)
{
    const size_t end = n - DIGEST_WORDS;
    size_t at = HEAD_WORDS;
    int code = MK_OK;
    for (uint64_t k = 0; !code && k < word[HEAD_WORDS - 1]; k++) {
        struct kept_side side;
        code = read_side(path, word, end, &at, &side, err);
        if (code) return code;
        code = s->n > 0 && kept_side_order(&s->at[s->n - 1], &side) >= 0 ? refuse(path, "damaged", err)
                                                                         : kept_sides_add(s, &side, err);
        mk_certified_side_clear(&side.side); /* empty where it was added */
    }
    return code || at == end ? code : refuse(path, "damaged", err);
}

/* An absent file, and one of another version, has none. MK_EINPUT, and none, where it cannot be read or its content is
 * not what was written. */
static int kept_sides_read(struct kept_sides *s, const char *path, struct mk_digest version, struct mk_error *err)
{
    uint64_t *word = NULL;
    size_t n = 0;
    *s = (struct kept_sides){0, NULL};
    int code = read_words(path, &word, &n, err);
    if (code || !word) return code;
    if (n < HEAD_WORDS + DIGEST_WORDS || word[0] != magic) {
        code = refuse(path, "not a file of certificates", err);
    } else {
        const struct mk_digest content = digest_of_words(word, n - DIGEST_WORDS);
        const bool whole = memcmp(&content, word + n - DIGEST_WORDS, sizeof content) == 0;
        if (!whole)
            code = refuse(path, "damaged", err);
        else if (memcmp(&version, word + 1, sizeof version) == 0)
            code = read_sides(s, path, word, n, err);
    }
    if (code) kept_sides_clear(s);
    free(word);
    return code;
}

static size_t words_of(const struct kept_sides *s)
{
    size_t words = HEAD_WORDS + DIGEST_WORDS;
    for (size_t k = 0; k < s->n; k++) words += s->at[k].lasting ? SIDE_WORDS + 2 * s->at[k].side.n : 0;
    return words;
}

static size_t put_side(uint64_t *word, const struct kept_side *side)
{
    const struct mk_certified_side *s = &side->side;
    const uint64_t head[SIDE_WORDS] = {
        side->key.lane[0],       side->key.lane[1],       as_word(s->mean), as_word(s->refinement),
        as_word(s->maximum.min), as_word(s->maximum.max), (uint64_t)s->by,  s->n};
    memcpy(word, head, sizeof head);
    for (size_t k = 0; k < s->n; k++) {
        word[SIDE_WORDS + k] = s->m[k];
        word[SIDE_WORDS + s->n + k] = as_word(s->tail[k]);
    }
    return SIDE_WORDS + 2 * s->n;
}

/* Replaces the file. Errors: MK_EINPUT, MK_EIO where it cannot be written. */
static int kept_sides_write(const struct kept_sides *s, const char *path, struct mk_digest version,
                            struct mk_error *err)
{
    const size_t words = words_of(s);
    uint64_t *word = malloc(words * sizeof *word);
    if (!word) return mk_fail_memory(err, "certificates");
    size_t at = HEAD_WORDS, n = 0;
    for (size_t k = 0; k < s->n; k++) {
        if (!s->at[k].lasting) continue;
        at += put_side(word + at, &s->at[k]);
        n++;
    }
    const uint64_t head[HEAD_WORDS] = {magic, version.lane[0], version.lane[1], n};
    memcpy(word, head, sizeof head);
    const struct mk_digest content = digest_of_words(word, at);
    memcpy(word + at, &content, sizeof content);
    struct mk_atomic_file file;
    FILE *to = NULL;
    int code = mk_atomic_file_open(&file, &to, path, err);
    if (!code) {
        fwrite(word, sizeof *word, words, to); /* errors: when it is closed */
        code = mk_atomic_file_close(&file, to, code, err);
    }
    free(word);
    return code;
}

/* ---- the store ---- */

struct mk_certificate_store {
    char *path; /* NULL: of no file */
    struct kept_sides kept;
    size_t computed, unsaved;
    double saved; /* mk_seconds() when the file was opened or written */
    char note[MK_ERROR_TEXT];
};

/* ---- keys ---- */

static struct mk_digest version(void)
{
    struct mk_digest d = MK_DIGEST_START;
    mk_digest_add_bytes(&d, MK_CERTIFICATE_SOURCES, strlen(MK_CERTIFICATE_SOURCES));
    mk_digest_add_bytes(&d, gsl_version, strlen(gsl_version));
    return d;
}

static void add_distribution(struct mk_digest *d, const struct mk_dist *dist)
{
    const size_t n = mk_param_count(dist->type->params);
    mk_digest_add_bytes(d, dist->type->name, strlen(dist->type->name));
    for (size_t i = 0; i < n; i++) mk_digest_add_real(d, dist->v[i]);
    mk_digest_add_bytes(d, dist->values, dist->n_values * sizeof *dist->values);
    mk_digest_add(d, dist->n_parts);
    for (size_t i = 0; i < dist->n_parts; i++) add_distribution(d, dist->part[i]);
}

/* A bonus of the race's own by its values: of a policy of the program, of which alone certificates are kept in files, a
 * change also changes version(). */
static void add_bonus(struct mk_digest *d, const struct mk_race *race)
{
    const uint64_t last = race->horizon;
    if (!race->bonus) return;
    mk_digest_add(d, race->falling ? 2 : 3);
    for (uint64_t t = 2; t <= last; t += t / 2)
        for (uint64_t n = 1; n <= last; n += (n + 1) / 2) mk_digest_add_real(d, race->bonus(&race->setup, t, n));
}

static struct mk_digest digest_of(const struct mk_certificate_request *q)
{
    const struct mk_race *race = &q->race;
    struct mk_digest d = MK_DIGEST_START;
    mk_digest_add(&d, race->arms);
    for (size_t k = 0; k < race->arms; k++) {
        if (race->arm[k].moving)
            mk_digest_add_bytes(&d, &race->arm[k].moving->digest, sizeof race->arm[k].moving->digest);
        else
            add_distribution(&d, race->arm[k].dist);
        mk_digest_add_real(&d, race->arm[k].band);
        mk_digest_add(&d, race->arm[k].burnt);
    }
    mk_digest_add(&d, race->horizon);
    mk_digest_add_real(&d, race->alpha);
    mk_digest_add_real(&d, race->power > 1 ? race->power : 1);
    mk_digest_add(&d, (uint64_t)race->shift);
    mk_digest_add(&d, (uint64_t)race->scale);
    mk_digest_add_real(&d, race->scale == MK_RACE_BY_RANGE ? race->width : 0);
    mk_digest_add(&d, race->before);
    add_bonus(&d, race);
    mk_digest_add_real(&d, q->refinement);
    if (q->sides == MK_CERTIFIED_SHARED) mk_digest_add(&d, 1);
    return d;
}

/* The first arm that has the same bounds, since Theorems 1 to 3 do not depend on the order of arms: one with the same
 * distribution. The walk of two arms does: it gives the largest reward of both in two parts. */
static size_t first_alike(const struct mk_race *race, size_t arm)
{
    size_t first = 0;
    if (race->arms == 2) return arm;
    while (first < arm && !mk_known_equal(&race->arm[first], &race->arm[arm])) first++;
    return first;
}

/* race: the digest of q. */
static struct mk_digest key_of(const struct mk_certificate_request *q, struct mk_digest race, size_t arm,
                               enum mk_side side)
{
    mk_digest_add(&race, first_alike(&q->race, arm));
    mk_digest_add(&race, side);
    return race;
}

/* Whether the parameters say all about a distribution: that of a plugin does not. */
static bool is_built_in(const struct mk_dist *dist)
{
    bool all = mk_dist_type_find(dist->type->name) == dist->type;
    for (size_t i = 0; i < dist->n_parts; i++) all = all && is_built_in(dist->part[i]);
    return all;
}

static bool is_lasting(const struct mk_race *race)
{
    bool all = !race->bonus;
    for (size_t i = 0; i < mk_policy_type_count(); i++) all = all || mk_policy_type_at(i)->bonus == race->bonus;
    for (size_t k = 0; k < race->arms; k++)
        all = all && (race->arm[k].moving ? race->arm[k].moving->lasting : is_built_in(race->arm[k].dist));
    return all;
}

static bool is_needed(const struct mk_certificate_request *q, size_t arm, enum mk_side side)
{
    if (side == MK_FROM_BELOW) return q->sides == MK_CERTIFIED_BAND;
    return q->sides == MK_CERTIFIED_BAND || q->without != (int64_t)arm;
}

/* ---- open, save ---- */

int mk_certificate_store_open(struct mk_certificate_store **out, const char *result, struct mk_error *err)
{
    struct mk_certificate_store *s = calloc(1, sizeof *s);
    struct mk_error why = {0, ""};
    *out = NULL;
    if (!s) return mk_fail_memory(err, "certificates");
    if (result && asprintf(&s->path, "%s%s", result, MK_CERTIFICATES_SUFFIX) < 0) {
        s->path = NULL;
        mk_certificate_store_free(s);
        return mk_fail_memory(err, "certificates");
    }
    const int code = s->path ? kept_sides_read(&s->kept, s->path, version(), &why) : MK_OK;
    if (code == MK_ENOMEM) { /* says nothing about the file */
        mk_certificate_store_free(s);
        return mk_fail_memory(err, "certificates");
    }
    if (code) memcpy(s->note, why.text, sizeof s->note);
    s->saved = mk_seconds();
    *out = s;
    return MK_OK;
}

int mk_certificate_store_save(struct mk_certificate_store *s, struct mk_error *err)
{
    struct kept_sides others = {0, NULL};
    if (!s->path || s->unsaved == 0) return MK_OK;
    struct mk_error ignored;
    int code = MK_OK;
    if (!kept_sides_read(&others, s->path, version(), &ignored)) code = kept_sides_merge(&s->kept, &others, err);
    kept_sides_clear(&others);
    if (!code) code = kept_sides_write(&s->kept, s->path, version(), err);
    if (!code) s->unsaved = 0;
    return code;
}

void mk_certificate_store_free(struct mk_certificate_store *s)
{
    if (!s) return;
    kept_sides_clear(&s->kept);
    free(s->path);
    free(s);
}

const char *mk_certificate_store_note(const struct mk_certificate_store *s)
{
    return s->note;
}

size_t mk_certificate_store_count(const struct mk_certificate_store *s)
{
    return s->kept.n;
}

size_t mk_certificate_store_computed(const struct mk_certificate_store *s)
{
    return s->computed;
}

/* ---- compute ---- */

/* A side that is missing. */
struct work {
    const struct mk_certificate_request *request;
    struct mk_upper_tail *const *tails; /* of the race: mk_certified_tails_new */
    size_t arm;
    enum mk_side side;
    bool done;
    struct kept_side its;
};

static int by_key(const void *a, const void *b)
{
    return kept_side_order(&((const struct work *)a)->its, &((const struct work *)b)->its);
}

/* The sides that are missing, once each, in the order of their keys. */
static int find_missing(const struct mk_certificate_store *s, const struct mk_certificate_request *request, size_t n,
                        struct work **out, size_t *missing, struct mk_error *err)
{
    size_t room = 1, found = 0, kept = 0;
    for (size_t i = 0; i < n; i++) room += 2 * request[i].race.arms;
    struct work *w = calloc(room, sizeof *w);
    if (!w) return mk_fail_memory(err, "certificates");
    for (size_t i = 0; i < n; i++) {
        const struct mk_digest race = digest_of(&request[i]);
        const bool lasting = is_lasting(&request[i].race);
        for (size_t k = 0; k < 2 * request[i].race.arms; k++) {
            const size_t arm = k / 2;
            const enum mk_side side = k % 2 ? MK_FROM_BELOW : MK_FROM_ABOVE;
            const struct mk_digest key = key_of(&request[i], race, arm, side);
            if (!is_needed(&request[i], arm, side) || kept_sides_find(&s->kept, key)) continue;
            w[found++] = (struct work){&request[i], NULL, arm, side, false, {.key = key, .lasting = lasting}};
        }
    }
    qsort(w, found, sizeof *w, by_key);
    for (size_t i = 0; i < found; i++)
        if (kept == 0 || by_key(&w[kept - 1], &w[i]) != 0) w[kept++] = w[i];
    *out = w;
    *missing = kept;
    return MK_OK;
}

enum { SAVE_S = 2 };

/* Adds what is done so far to the file, every few seconds: a process that is ended loses no more. Whether the file can
 * be written is said at the end. */
static void save_partly(struct mk_certificate_store *s, const struct work *w, size_t n)
{
    struct kept_sides others = {0, NULL}, mine = {0, NULL}, fresh = {0, NULL}, all = {0, NULL};
    struct mk_error ignored;
    if (!s->path || mk_seconds() < s->saved + SAVE_S) return;
    const bool room = MK_GROW(fresh.at, 0, n);
    for (size_t i = 0; room && i < n; i++)
        if (w[i].done && w[i].its.lasting) fresh.at[fresh.n++] = w[i].its;
    if (fresh.n) kept_sides_read(&others, s->path, version(), &ignored);
    if (fresh.n && !unite(&s->kept, &fresh, &mine, NULL, &ignored) && !unite(&mine, &others, &all, NULL, &ignored))
        kept_sides_write(&all, s->path, version(), &ignored);
    free(all.at);
    free(mine.at);
    free(fresh.at);
    kept_sides_clear(&others);
    s->saved = mk_seconds();
}

static bool is_missing(const struct work *w, size_t missing, const struct mk_certificate_request *q)
{
    for (size_t i = 0; i < missing; i++)
        if (w[i].request == q) return q->sides != MK_CERTIFIED_SHARED;
    return false;
}

/* tails[i], of n requests: what the sides of a race share, where some are missing. */
static int share_tails(struct mk_upper_tail **tails, const struct mk_certificate_request *request, size_t n,
                       struct work *w, size_t missing, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < missing; i++) w[i].tails = &tails[w[i].request - request];
#pragma omp parallel for schedule(dynamic, 1) if (n >= 2 * (size_t)omp_get_max_threads())
    for (size_t i = 0; i < n; i++) {
        MK_IN_C_LOCALE;
        struct mk_error its;
        if (mk_run_stopped() || !is_missing(w, missing, &request[i])) continue;
        const int its_code = mk_certified_tails_new(&tails[i], &request[i].race, &its);
#pragma omp critical(mk_certificate_tails)
        if (its_code && !code) {
            code = its_code;
            if (err) *err = its;
        }
    }
    return code;
}

/* The error is that of the first side with one; MK_ESTOPPED after mk_run_stop. */
static int compute(struct mk_certificate_store *s, struct work *w, size_t n, struct mk_progress *progress,
                   struct mk_error *err)
{
    size_t failed = n;
    int code = MK_OK;
#pragma omp parallel for schedule(dynamic, 1) if (n >= 2 * (size_t)omp_get_max_threads())
    for (size_t i = 0; i < n; i++) {
        MK_IN_C_LOCALE;
        struct mk_error its;
        if (mk_run_stopped()) continue;
        int its_code =
            mk_certified_side_new(&w[i].its.side, &w[i].request->race, *w[i].tails, w[i].arm, w[i].side,
                                  w[i].request->sides == MK_CERTIFIED_SHARED, w[i].request->refinement, &its);
        if (progress) mk_progress_step(progress, omp_get_thread_num() == 0);
#pragma omp critical(mk_certificate_sides)
        if (!its_code) {
            w[i].done = true;
            save_partly(s, w, n);
        } else if (i < failed) {
            failed = i;
            code = its_code;
            if (err) *err = its;
        }
    }
    return code || !mk_run_stopped() ? code : mk_run_end_stopped(err);
}

int mk_certificate_store_fill(struct mk_certificate_store *s, const struct mk_certificate_request *request, size_t n,
                              struct mk_progress *progress, struct mk_error *err)
{
    struct kept_sides fresh = {0, NULL};
    struct mk_upper_tail **tails = NULL;
    struct work *w = NULL;
    size_t missing = 0;
    int code = find_missing(s, request, n, &w, &missing, err);
    if (code || missing == 0) goto out;
    if (!(tails = calloc(n, sizeof *tails))) code = mk_fail_memory(err, "certificates");
    if (code) goto out;
    if (progress) mk_progress_start(progress, 0, missing);
    code = share_tails(tails, request, n, w, missing, err);
    if (!code) code = compute(s, w, missing, progress, err);
    if (progress) mk_progress_end(progress);
    for (size_t i = 0; !code && i < missing; i++) code = kept_sides_add(&fresh, &w[i].its, err);
    if (!code) code = kept_sides_merge(&s->kept, &fresh, err);
    if (code) goto out;
    s->computed += missing;
    for (size_t i = 0; i < missing; i++) s->unsaved += w[i].its.lasting;
out:
    for (size_t i = 0; i < missing; i++) mk_certified_side_clear(&w[i].its.side);
    for (size_t i = 0; tails && i < n; i++) mk_pair_tails_free(tails[i], request[i].race.arms);
    free(tails);
    kept_sides_clear(&fresh);
    free(w);
    return code;
}

int mk_certificate_store_get(struct mk_certificate_store *s, const struct mk_certificate_request *request,
                             struct mk_certificate **out, struct mk_error *err)
{
    const size_t arms = request->race.arms;
    const struct mk_certified_side **side = calloc(2 * arms, sizeof *side);
    *out = NULL;
    int code = side ? mk_certificate_store_fill(s, request, 1, NULL, err) : mk_fail_memory(err, "certificates");
    const struct mk_digest race = digest_of(request);
    for (size_t k = 0; !code && k < arms; k++)
        for (int below = 0; below < 2; below++) {
            const enum mk_side at = below ? MK_FROM_BELOW : MK_FROM_ABOVE;
            if (is_needed(request, k, at))
                side[(size_t)below * arms + k] = kept_sides_find(&s->kept, key_of(request, race, k, at));
        }
    if (!code) code = mk_certificate_join(out, &request->race, side, side + arms, err);
    free(side);
    return code;
}

int mk_certificate_new(struct mk_certificate **out, const struct mk_race *race, enum mk_certified_sides sides,
                       double refinement, struct mk_error *err)
{
    const struct mk_certificate_request request = {*race, sides, refinement, MK_EVERY_ARM};
    struct mk_certificate_store *s = NULL;
    *out = NULL;
    int code = mk_certificate_store_open(&s, NULL, err);
    if (!code) code = mk_certificate_store_get(s, &request, out, err);
    mk_certificate_store_free(s);
    return code;
}
