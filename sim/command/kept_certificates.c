#include "sim/command/kept_certificates.h"

#include <stdio.h>

void mk_kept_certificates_tell(const struct mk_certificate_store *s)
{
    if (*mk_certificate_store_note(s)) fprintf(stderr, "%s\n", mk_certificate_store_note(s));
}

void mk_kept_certificates_save(struct mk_certificate_store *s)
{
    struct mk_error why;
    if (mk_certificate_store_save(s, &why)) fprintf(stderr, "%s: certificates are not kept\n", why.text);
}

struct mk_progress *mk_kept_certificates_progress(struct mk_kept_certificates_progress *p)
{
    p->line = (struct mk_progress_line){"certified bounds", 0, ""};
    p->progress.report = mk_progress_line();
    p->progress.context = &p->line;
    return &p->progress;
}
