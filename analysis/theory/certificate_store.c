#include "analysis/theory/certificate_store.h"

#include <gsl/gsl_version.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificate_file.h"
#include "analysis/theory/certificate_sources.h"
#include "sim/base/digest.h"
#include "sim/base/error.h"

struct mk_certificate_store {
    char *path; /* NULL: of no file */
    struct mk_kept_sides kept;
    size_t computed, unsaved;
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

static struct mk_digest key_of(struct mk_digest race, size_t arm, enum mk_side side)
{
    mk_digest_add(&race, arm);
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
    const int code = s->path ? mk_kept_sides_read(&s->kept, s->path, version(), &why) : MK_OK;
    if (code == MK_ENOMEM) { /* says nothing about the file */
        mk_certificate_store_free(s);
        return mk_fail_memory(err, "certificates");
    }
    if (code) memcpy(s->note, why.text, sizeof s->note);
    *out = s;
    return MK_OK;
}

int mk_certificate_store_save(struct mk_certificate_store *s, struct mk_error *err)
{
    struct mk_kept_sides others = {0, NULL};
    if (!s->path || s->unsaved == 0) return MK_OK;
    struct mk_error ignored;
    int code = MK_OK;
    if (!mk_kept_sides_read(&others, s->path, version(), &ignored)) code = mk_kept_sides_merge(&s->kept, &others, err);
    mk_kept_sides_clear(&others);
    if (!code) code = mk_kept_sides_write(&s->kept, s->path, version(), err);
    if (!code) s->unsaved = 0;
    return code;
}

void mk_certificate_store_free(struct mk_certificate_store *s)
{
    if (!s) return;
    mk_kept_sides_clear(&s->kept);
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
    size_t arm;
    enum mk_side side;
    struct mk_kept_side its;
};

static int by_key(const void *a, const void *b)
{
    return mk_kept_side_order(&((const struct work *)a)->its, &((const struct work *)b)->its);
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
            const struct mk_digest key = key_of(race, arm, side);
            if (!is_needed(&request[i], arm, side) || mk_kept_sides_find(&s->kept, key)) continue;
            w[found++] = (struct work){&request[i], arm, side, {.key = key, .lasting = lasting}};
        }
    }
    qsort(w, found, sizeof *w, by_key);
    for (size_t i = 0; i < found; i++)
        if (kept == 0 || by_key(&w[kept - 1], &w[i]) != 0) w[kept++] = w[i];
    *out = w;
    *missing = kept;
    return MK_OK;
}

/* The error is that of the first side with one. */
static int compute(struct work *w, size_t n, struct mk_progress *progress, struct mk_error *err)
{
    size_t failed = n;
    int code = MK_OK;
#pragma omp parallel for schedule(dynamic, 1) if (n >= 2 * (size_t)omp_get_max_threads())
    for (size_t i = 0; i < n; i++) {
        struct mk_error its;
        int its_code =
            mk_certified_side_new(&w[i].its.side, &w[i].request->race, w[i].arm, w[i].side,
                                  w[i].request->sides == MK_CERTIFIED_SHARED, w[i].request->refinement, &its);
        if (progress) mk_progress_step(progress, omp_get_thread_num() == 0);
        if (!its_code) continue;
#pragma omp critical(mk_certificate_sides)
        if (i < failed) {
            failed = i;
            code = its_code;
            if (err) *err = its;
        }
    }
    return code;
}

int mk_certificate_store_fill(struct mk_certificate_store *s, const struct mk_certificate_request *request, size_t n,
                              struct mk_progress *progress, struct mk_error *err)
{
    struct mk_kept_sides fresh = {0, NULL};
    struct work *w = NULL;
    size_t missing = 0;
    int code = find_missing(s, request, n, &w, &missing, err);
    if (code || missing == 0) goto out;
    if (progress) mk_progress_start(progress, 0, missing);
    code = compute(w, missing, progress, err);
    if (progress) mk_progress_end(progress);
    for (size_t i = 0; !code && i < missing; i++) code = mk_kept_sides_add(&fresh, &w[i].its, err);
    if (!code) code = mk_kept_sides_merge(&s->kept, &fresh, err);
    if (code) goto out;
    s->computed += missing;
    for (size_t i = 0; i < missing; i++) s->unsaved += w[i].its.lasting;
out:
    for (size_t i = 0; i < missing; i++) mk_certified_side_clear(&w[i].its.side);
    mk_kept_sides_clear(&fresh);
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
                side[(size_t)below * arms + k] = mk_kept_sides_find(&s->kept, key_of(race, k, at));
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
