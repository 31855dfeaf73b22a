/* Tables that hold what is in a result as it is, which `maxk export` writes and no command prints; and what tables of
 * results share: places, swept parameters, certificates. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_RESULT_TABLES_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_RESULT_TABLES_H

#include "analysis/answers/tables/table_type.h"
#include "analysis/theory/certificates/certificate_store.h"
#include "sim/run/store/cells.h"

/* Adds the rows of a result, with its columns set by name. */
typedef int mk_result_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err);

/* The making of such a table: of a result that call has open, or opens. */
int mk_result_table_make(struct mk_table **out, const struct mk_table_schema *schema, mk_result_rows *rows,
                         const struct mk_table_call *call, struct mk_error *err);

/* The swept parameters of the result as further columns at the end, named after them, of a table with a column
 * "policy": values of the policy. A name that is taken is preceded by "parameter_"; `own`: a parameter for which the
 * table has a column already, or NULL. Before the first row. */
int mk_table_add_swept(struct mk_table *t, const struct mk_result_info *i, const char *own, struct mk_error *err);

/* The same of an experiment, without n_own parameters. */
int mk_table_add_swept_of(struct mk_table *t, const struct mk_experiment *e, const char *const *own, size_t n_own,
                          struct mk_error *err);

/* Whether tables of the type have such columns, as far as something was swept: number 0 is the table itself, 1, 2, …
 * those that follow it. */
bool mk_table_has_swept(const struct mk_table_type *type, size_t number);

/* The column "horizon", if there is one, a count of pulls, for costs: it has their unit, and real numbers where some
 * are fractions (parts). Before the first row; mk_table_set_number then sets its cells. */
void mk_table_take_horizons(struct mk_table *t, bool by_cost, double parts);

/* The columns policy, instance and horizon, which are the first three. */
#define MK_PLACE_COLUMNS(X)                                                                                            \
    X(POLICY, "policy", TEXT, "", "label of the policy")                                                               \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(HORIZON, "horizon", COUNT, "pulls", "horizon T")
enum { MK_LAST_PLACE = 2 };
void mk_table_set_place(struct mk_table *t, const struct mk_result_info *i, struct mk_cell_index at);

/* The columns of a table, as MK_TABLE_COLUMNS, that has these first and then those of `list`. */
#define MK_PLACED_COLUMNS(name, list)                                                                                  \
    enum { name##_place = MK_LAST_PLACE, list(MK_COLUMN_ENUMERATOR) };                                                 \
    static const struct mk_column name[] = {MK_PLACE_COLUMNS(MK_COLUMN_DESCRIPTOR) list(MK_COLUMN_DESCRIPTOR)}

/* Opens the certificates next to the file `result`; why they are not used, if they are not, becomes a warning of the
 * table. */
int mk_table_certificates_open(struct mk_certificate_store **out, struct mk_table *t, const char *result,
                               struct mk_error *err);

/* Saves and frees them (NULL: nothing); that the file cannot be written is a warning of the table (NULL: none). */
void mk_table_certificates_close(struct mk_certificate_store *s, struct mk_table *t);

/* One of them: mk_table_<id> with the schema and the rows of that name; view: what people see where it is part of
 * another table. */
#define MK_RESULT_TABLE(id, title, about, applies) MK_RESULT_TABLE_SEEN(id, title, about, applies, NULL)
#define MK_RESULT_TABLE_SEEN(id, title, about, applies, view)                                                          \
    static const struct mk_table_schema id##_schema = MK_TABLE_SCHEMA(title, id##_columns, view);                      \
    static int id##_make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)                \
    {                                                                                                                  \
        return mk_result_table_make(out, &id##_schema, id##_rows, call, err);                                          \
    }                                                                                                                  \
    const struct mk_table_type mk_table_##id = {                                                                       \
        .usage = {#id, "RESULT.h5", about, 1, 1},                                                                      \
        .summary = title,                                                                                              \
        MK_TABLE_SHOWS(&id##_schema),                                                                                  \
        .inapplicable = applies,                                                                                       \
        .exported = true,                                                                                              \
        .make = id##_make,                                                                                             \
    }

#endif
