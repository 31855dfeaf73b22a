/* Certificates next to a result, for the commands that show them. */
#ifndef MAXK_SIM_COMMAND_KEPT_CERTIFICATES_H
#define MAXK_SIM_COMMAND_KEPT_CERTIFICATES_H

#include "analysis/theory/certificate_store.h"
#include "sim/command/progress_line.h"

/* Says on standard error why the file of a store is not used, if it is not. */
void mk_kept_certificates_tell(const struct mk_certificate_store *s);

/* mk_certificate_store_save; says on standard error where the file cannot be written, which is no failure. */
void mk_kept_certificates_save(struct mk_certificate_store *s);

/* The progress line of computing them. Initialised in place, since the one refers to the other. */
struct mk_kept_certificates_progress {
    struct mk_progress_line line;
    struct mk_progress progress;
};

struct mk_progress *mk_kept_certificates_progress(struct mk_kept_certificates_progress *p);

#endif
