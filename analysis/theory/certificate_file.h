/* The sides of certificates that certificate_store.h keeps, in memory and in a file. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATE_FILE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATE_FILE_H

#include <stdbool.h>

#include "analysis/theory/certificate.h"
#include "sim/base/digest.h"

struct mk_kept_side {
    struct mk_digest key;
    bool lasting; /* goes into the file */
    struct mk_certified_side side;
};

/* In ascending order of keys, no two equal. Zero-filled: none. */
struct mk_kept_sides {
    size_t n;
    struct mk_kept_side *at;
};

int mk_kept_side_order(const struct mk_kept_side *a, const struct mk_kept_side *b);

/* NULL: not there. */
const struct mk_certified_side *mk_kept_sides_find(const struct mk_kept_sides *s, struct mk_digest key);

/* Appends a side whose key is larger than all others, and takes over what it owns. */
int mk_kept_sides_add(struct mk_kept_sides *s, struct mk_kept_side *side, struct mk_error *err);

/* Moves those that `to` does not have. */
int mk_kept_sides_merge(struct mk_kept_sides *to, struct mk_kept_sides *from, struct mk_error *err);
void mk_kept_sides_clear(struct mk_kept_sides *s);

/* An absent file, and one of another version, has none. MK_EINPUT, and none, where it cannot be read or its content is
 * not what was written. */
int mk_kept_sides_read(struct mk_kept_sides *s, const char *path, struct mk_digest version, struct mk_error *err);

/* Replaces the file. Errors: MK_EINPUT, MK_EIO where it cannot be written. */
int mk_kept_sides_write(const struct mk_kept_sides *s, const char *path, struct mk_digest version,
                        struct mk_error *err);

#endif
