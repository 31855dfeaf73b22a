#include "analysis/theory/certificate_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"

/* ---- in memory ---- */

static int key_order(struct mk_digest a, struct mk_digest b)
{
    for (int k = 0; k < 2; k++)
        if (a.lane[k] != b.lane[k]) return a.lane[k] < b.lane[k] ? -1 : 1;
    return 0;
}

int mk_kept_side_order(const struct mk_kept_side *a, const struct mk_kept_side *b)
{
    return key_order(a->key, b->key);
}

const struct mk_certified_side *mk_kept_sides_find(const struct mk_kept_sides *s, struct mk_digest key)
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

int mk_kept_sides_add(struct mk_kept_sides *s, struct mk_kept_side *side, struct mk_error *err)
{
    if (!MK_GROW(s->at, s->n, 1)) return mk_fail_memory(err, "certificates");
    s->at[s->n++] = *side;
    side->side = MK_NO_SIDE;
    return MK_OK;
}

int mk_kept_sides_merge(struct mk_kept_sides *to, struct mk_kept_sides *from, struct mk_error *err)
{
    struct mk_kept_side *at = NULL;
    size_t n = 0, i = 0, j = 0;
    if (!MK_GROW(at, 0, to->n + from->n)) return mk_fail_memory(err, "certificates");
    while (i < to->n || j < from->n) {
        const int order = i == to->n ? 1 : j == from->n ? -1 : mk_kept_side_order(&to->at[i], &from->at[j]);
        if (order == 0)
            mk_certified_side_clear(&from->at[j++].side);
        else
            at[n++] = order < 0 ? to->at[i++] : from->at[j++];
    }
    free(to->at);
    free(from->at);
    *to = (struct mk_kept_sides){n, at};
    *from = (struct mk_kept_sides){0, NULL};
    return MK_OK;
}

void mk_kept_sides_clear(struct mk_kept_sides *s)
{
    for (size_t k = 0; k < s->n; k++) mk_certified_side_clear(&s->at[k].side);
    free(s->at);
    *s = (struct mk_kept_sides){0, NULL};
}

/* ---- the file ----
 *
 * Words of 8 bytes in the machine's order: magic (which another order does not have), version (2), number of sides; of
 * every side key (2), mean, refinement, maximum (2), n, m (n), tail (n); a digest of all words before it (2). */

static const uint64_t magic = UINT64_C(0x3165746d6b78616d); /* "maxkmte1" */
enum { HEAD_WORDS = 4, SIDE_WORDS = 7, DIGEST_WORDS = 2 };
static const off_t most_bytes = (off_t)1 << 30;

static struct mk_digest digest_of(const uint64_t *word, size_t n)
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
static int read_side(const char *path, const uint64_t *word, size_t end, size_t *at, struct mk_kept_side *out,
                     struct mk_error *err)
{
    if (end - *at < SIDE_WORDS) return refuse(path, "damaged", err);
    const uint64_t *head = word + *at;
    const size_t n = (size_t)head[SIDE_WORDS - 1];
    if (n > (end - *at - SIDE_WORDS) / 2) return refuse(path, "damaged", err);
    *out = (struct mk_kept_side){.key = {{head[0], head[1]}}, .lasting = true};
    struct mk_certified_side *s = &out->side;
    s->mean = as_real(head[2]);
    s->refinement = as_real(head[3]);
    s->maximum = (struct mk_certified_maximum){as_real(head[4]), as_real(head[5])};
    s->n = n;
    s->m = malloc((n + 1) * sizeof *s->m);
    s->tail = malloc((n + 1) * sizeof *s->tail);
    if (!s->m || !s->tail) {
        mk_certified_side_clear(s);
        return mk_fail_memory(err, "certificates");
    }
    bool good = s->mean >= 0;
    for (size_t k = 0; good && k < n; k++) {
        s->m[k] = head[SIDE_WORDS + k];
        s->tail[k] = as_real(head[SIDE_WORDS + n + k]);
        good = (k == 0 || s->m[k] > s->m[k - 1]) && s->tail[k] >= 0 && s->tail[k] <= 1;
    }
    if (!good) mk_certified_side_clear(s);
    *at += SIDE_WORDS + 2 * n;
    return good ? MK_OK : refuse(path, "damaged", err);
}

static int read_sides(struct mk_kept_sides *s, const char *path, const uint64_t *word, size_t n, struct mk_error *err)
{
    const size_t end = n - DIGEST_WORDS;
    size_t at = HEAD_WORDS;
    int code = MK_OK;
    for (uint64_t k = 0; !code && k < word[HEAD_WORDS - 1]; k++) {
        struct mk_kept_side side;
        code = read_side(path, word, end, &at, &side, err);
        if (code) return code;
        code = s->n > 0 && mk_kept_side_order(&s->at[s->n - 1], &side) >= 0 ? refuse(path, "damaged", err)
                                                                            : mk_kept_sides_add(s, &side, err);
        mk_certified_side_clear(&side.side); /* empty where it was added */
    }
    return code || at == end ? code : refuse(path, "damaged", err);
}

int mk_kept_sides_read(struct mk_kept_sides *s, const char *path, struct mk_digest version, struct mk_error *err)
{
    uint64_t *word = NULL;
    size_t n = 0;
    *s = (struct mk_kept_sides){0, NULL};
    int code = read_words(path, &word, &n, err);
    if (code || !word) return code;
    if (n < HEAD_WORDS + DIGEST_WORDS || word[0] != magic) {
        code = refuse(path, "not a file of certificates", err);
    } else {
        const struct mk_digest content = digest_of(word, n - DIGEST_WORDS);
        const bool whole = memcmp(&content, word + n - DIGEST_WORDS, sizeof content) == 0;
        if (!whole)
            code = refuse(path, "damaged", err);
        else if (memcmp(&version, word + 1, sizeof version) == 0)
            code = read_sides(s, path, word, n, err);
    }
    if (code) mk_kept_sides_clear(s);
    free(word);
    return code;
}

static size_t words_of(const struct mk_kept_sides *s)
{
    size_t words = HEAD_WORDS + DIGEST_WORDS;
    for (size_t k = 0; k < s->n; k++) words += s->at[k].lasting ? SIDE_WORDS + 2 * s->at[k].side.n : 0;
    return words;
}

static size_t put_side(uint64_t *word, const struct mk_kept_side *side)
{
    const struct mk_certified_side *s = &side->side;
    const uint64_t head[SIDE_WORDS] = {side->key.lane[0],
                                       side->key.lane[1],
                                       as_word(s->mean),
                                       as_word(s->refinement),
                                       as_word(s->maximum.least),
                                       as_word(s->maximum.most),
                                       s->n};
    memcpy(word, head, sizeof head);
    for (size_t k = 0; k < s->n; k++) {
        word[SIDE_WORDS + k] = s->m[k];
        word[SIDE_WORDS + s->n + k] = as_word(s->tail[k]);
    }
    return SIDE_WORDS + 2 * s->n;
}

int mk_kept_sides_write(const struct mk_kept_sides *s, const char *path, struct mk_digest version, struct mk_error *err)
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
    const struct mk_digest content = digest_of(word, at);
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
