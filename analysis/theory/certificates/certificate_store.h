/* Certificates that are computed once: many at a time by all threads, and kept in a file next to the result.
 *
 * What is kept are the sides of arms (mk_certified_side), each under a digest of everything that it depends on: the
 * distributions of all arms with their parameters and samples, the bonus, its scaling, T, the arm, the side, the
 * refinement. The head of the file names the version: a digest of the sources that compute (Makefile) and the version
 * of GSL. A file of another version, or one whose content is not what was written, is not used but replaced. So a
 * certificate that is read is the one that would be computed, bit for bit; labels, other policies and the result itself
 * play no part, and a changed experiment finds what still holds. Families from plugins are not kept in the file, since
 * their parameters do not say what their code computes.
 *
 * Next to the result rather than within: results of equal runs stay equal byte for byte, a result is never opened for
 * writing once it is complete, and reading commands work where it cannot be written. The file may be removed at any
 * time. It is replaced as a whole by a rename: readers see the old one or the new one, and of two simultaneous writers
 * the later one keeps what the earlier one has written, or, in the worst case, replaces it. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_STORE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_STORE_H

#include "analysis/theory/certificates/certificate.h"
#include "sim/base/progress.h"

#define MK_CERTIFICATES_SUFFIX ".certificates"

struct mk_certificate_store;

/* With the certificates of the file `result`.certificates, if it is there; NULL: of no file. Errors: MK_ENOMEM. A file
 * that cannot be used is no error: mk_certificate_store_note says why. */
int mk_certificate_store_open(struct mk_certificate_store **out, const char *result, struct mk_error *err);

/* Writes the file if anything has been computed since, with what others have added to it. Errors: MK_EINPUT, MK_EIO
 * where it cannot be written; nothing is lost but time. */
int mk_certificate_store_save(struct mk_certificate_store *s, struct mk_error *err);
void mk_certificate_store_free(struct mk_certificate_store *s);

/* Why the file was not used, "" where it was or does not exist. */
const char *mk_certificate_store_note(const struct mk_certificate_store *s);

/* Sides in memory, and how many of them have been computed rather than read. */
size_t mk_certificate_store_count(const struct mk_certificate_store *s);
size_t mk_certificate_store_computed(const struct mk_certificate_store *s);

enum { MK_EVERY_ARM = -1 };

/* A certificate. without: MK_EVERY_ARM, or, of MK_CERTIFIED_UPPER, an arm whose bound is not needed: T - K + 1 then. */
struct mk_certificate_request {
    struct mk_race race;
    enum mk_certified_sides sides;
    double refinement;
    int64_t without;
};

/* Computes what is missing for all of them: with few sides, threads share the points of each, with many the sides. The
 * result does not depend on the number of threads. progress (may be NULL): started here, one step per side. */
int mk_certificate_store_fill(struct mk_certificate_store *s, const struct mk_certificate_request *request, size_t n,
                              struct mk_progress *progress, struct mk_error *err);

/* One certificate, computed as far as it is missing. */
int mk_certificate_store_get(struct mk_certificate_store *s, const struct mk_certificate_request *request,
                             struct mk_certificate **out, struct mk_error *err);

#endif
