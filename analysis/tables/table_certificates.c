#include "analysis/tables/table_certificates.h"

int mk_table_certificates_open(struct mk_certificate_store **out, struct mk_table *t, const char *result,
                               struct mk_error *err)
{
    int code = mk_certificate_store_open(out, result, err);
    if (!code && *mk_certificate_store_note(*out)) mk_table_add_warning(t, "%s", mk_certificate_store_note(*out));
    return code;
}

void mk_table_certificates_close(struct mk_certificate_store *s, struct mk_table *t)
{
    struct mk_error why;
    if (s && mk_certificate_store_save(s, &why) && t)
        mk_table_add_warning(t, "%s: certificates are not kept", why.text);
    mk_certificate_store_free(s);
}
