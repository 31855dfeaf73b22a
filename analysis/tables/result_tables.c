#include "analysis/tables/result_tables.h"

int mk_result_table_make(struct mk_table **out, const struct mk_table_schema *schema, mk_result_rows *rows,
                         const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_result *own = NULL;
    struct mk_table *t = NULL;
    int code = call->result ? MK_OK : mk_result_open(&own, call->input[0], err);
    if (!code) code = mk_table_new(&t, schema, err);
    if (!code && call->stream) mk_table_stream(t, call->stream, call->style);
    if (!code) code = rows(t, call->result ? call->result : own, err);
    mk_result_free(own);
    return mk_table_made(out, t, code, err);
}

void mk_table_set_place(struct mk_table *t, const struct mk_result_info *i, struct mk_cell_index at)
{
    enum { MK_PLACE_COLUMNS(MK_COLUMN_ENUMERATOR) };
    mk_table_set_text(t, POLICY, i->policy[at.policy]);
    mk_table_set_text(t, INSTANCE, i->instance[at.instance]);
    mk_table_set_count(t, HORIZON, i->horizon[at.horizon]);
}
