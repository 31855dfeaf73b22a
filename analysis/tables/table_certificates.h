/* Certificates next to a result, for the tables that show them. */
#ifndef MAXK_ANALYSIS_TABLES_TABLE_CERTIFICATES_H
#define MAXK_ANALYSIS_TABLES_TABLE_CERTIFICATES_H

#include "analysis/theory/certificate_store.h"
#include "sim/table/table.h"

/* Opens those of the file `result`; why they are not used, if they are not, becomes a warning of the table. */
int mk_table_certificates_open(struct mk_certificate_store **out, struct mk_table *t, const char *result,
                               struct mk_error *err);

/* Saves and frees them (NULL: nothing); that the file cannot be written is a warning of the table (NULL: none). */
void mk_table_certificates_close(struct mk_certificate_store *s, struct mk_table *t);

#endif
