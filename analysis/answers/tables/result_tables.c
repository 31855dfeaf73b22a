#include "analysis/answers/tables/result_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/run/store/swept.h"

void mk_table_take_horizons(struct mk_table *t, bool by_cost, double parts)
{
    const size_t column = mk_table_find(t, "horizon");
    if (by_cost && column != SIZE_MAX) mk_table_retype(t, column, parts > 1 ? MK_COLUMN_REAL : MK_COLUMN_COUNT, "cost");
}

int mk_result_table_make(struct mk_table **out, const struct mk_table_schema *schema, mk_result_rows *rows,
                         const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_result *own = NULL;
    struct mk_table *t = NULL;
    int code = call->result ? MK_OK : mk_result_open(&own, call->input[0], err);
    if (!code) code = mk_table_new(&t, schema, err);
    const struct mk_result_info *i = code ? NULL : mk_result_info(call->result ? call->result : own);
    if (!code) mk_table_take_horizons(t, i->by_cost, i->cost_parts);
    if (!code) code = mk_table_add_swept(t, i, NULL, err);
    if (!code && call->stream) code = mk_table_stream(t, call->stream, call->style, err);
    if (!code) code = rows(t, call->result ? call->result : own, err);
    mk_result_free(own);
    return mk_table_made(out, t, code, err);
}

void mk_table_set_place(struct mk_table *t, const struct mk_result_info *i, struct mk_cell_index at)
{
    enum { MK_PLACE_COLUMNS(MK_COLUMN_ENUMERATOR) };
    mk_table_set_text(t, POLICY, i->policy[at.policy]);
    mk_table_set_text(t, INSTANCE, i->instance[at.instance]);
    mk_table_set_number(t, HORIZON, mk_result_amount(i, at.horizon));
}

static const char policy_column[] = "policy";

bool mk_table_has_swept(const struct mk_table_type *type, size_t number)
{
    const struct mk_table_schema *s = type->schema[number];
    if (!type->inapplicable && !type->has_policies) return false; /* it is not about results */
    for (size_t i = 0; i < s->n_columns; i++)
        if (strcmp(s->column[i].name, policy_column) == 0) return true;
    return false;
}

static void add_swept(struct mk_table *t, size_t n, const char *const *label, const struct mk_swept_parameter *of)
{
    char name[128];
    const bool taken = mk_table_find(t, of->name) != SIZE_MAX;
    const struct mk_column about = {name, of->value ? MK_COLUMN_REAL : MK_COLUMN_TEXT, "",
                                    "parameter of the policy; missing: it has none of this name"};
    snprintf(name, sizeof name, "%s%s", taken ? "parameter_" : "", of->name);
    mk_table_add_lookup(t, mk_table_find(t, policy_column), &about, n, label, of->value,
                        of->value ? NULL : (const char *const *)of->word);
}

static bool is_among(const char *name, const char *const *own, size_t n)
{
    while (n--)
        if (strcmp(own[n], name) == 0) return true;
    return false;
}

int mk_table_add_swept(struct mk_table *t, const struct mk_result_info *i, const char *own, struct mk_error *err)
{
    struct mk_swept swept = {0};
    if (mk_table_find(t, policy_column) == SIZE_MAX) return MK_OK;
    int code = mk_swept_read(&swept, i->path, i->n_policies, (const char *const *)i->policy_name,
                             (const char *const *)i->policy_parameters, err);
    for (size_t k = 0; !code && k < swept.n; k++)
        if (!is_among(swept.parameter[k].name, &own, own != NULL))
            add_swept(t, i->n_policies, (const char *const *)i->policy, &swept.parameter[k]);
    mk_swept_clear(&swept);
    return code;
}

int mk_table_add_swept_of(struct mk_table *t, const struct mk_experiment *e, const char *const *own, size_t n_own,
                          struct mk_error *err)
{
    struct mk_swept swept = {0};
    const char **label = calloc(e->n_entries + 1, sizeof *label);
    int code = label ? mk_swept_of(&swept, e, err) : mk_fail_memory(err, "swept parameters");
    for (size_t p = 0; label && p < e->n_entries; p++) label[p] = e->entry[p].label;
    for (size_t k = 0; !code && k < swept.n; k++)
        if (!is_among(swept.parameter[k].name, own, n_own)) add_swept(t, e->n_entries, label, &swept.parameter[k]);
    mk_swept_clear(&swept);
    free(label);
    return code;
}

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
