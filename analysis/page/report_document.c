#include "analysis/page/report_document.h"

#include <stdbool.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/yaml_values.h"

static const char *text_of(const struct mk_node *node)
{
    return node && node->kind == MK_NODE_SCALAR ? node->text : "";
}

static bool is_heading(const struct mk_node *parts, const char *text)
{
    for (size_t i = 0; i < parts->n; i++)
        if (*text && strcmp(text_of(mk_node_get(parts->child[i], "heading")), text) == 0) return true;
    return false;
}

static bool links(const void *parts, const char *text)
{
    return is_heading(parts, text);
}

/* The first row holds the heads. */
static int read_table(struct mk_table **out, const struct mk_node *rows, struct mk_error *err)
{
    static const struct mk_table_schema schema = {.title = "a table"};
    const struct mk_node *head = rows->n ? rows->child[0] : NULL;
    int code = mk_check_list(rows, "table", "row", err);
    if (!code) code = mk_check_list(head, "table", "cell", err);
    if (!code) code = mk_table_new(out, &schema, err);
    if (code) return code;
    for (size_t k = 0; k < head->n; k++) mk_table_add_column(*out, text_of(head->child[k]), MK_COLUMN_TEXT, "", "");
    for (size_t i = 1; i < rows->n; i++) {
        const struct mk_node *row = rows->child[i];
        code = mk_check_list(row, "table", "cell", err);
        if (code) return code;
        if (row->n != head->n)
            return mk_fail_at(err, row->where, "table", "expected %zu cells as in its first row, got %zu", head->n,
                              row->n);
        for (size_t k = 0; k < row->n; k++) mk_table_set_text(*out, k, text_of(row->child[k]));
        mk_table_end_row(*out);
    }
    return mk_table_check(*out, err);
}

static int add_table(struct mk_page *page, const struct mk_node *rows, const struct mk_node *parts,
                     struct mk_error *err)
{
    const struct mk_table_html how = {.links = links, .context = parts};
    struct mk_table *t = NULL;
    int code = read_table(&t, rows, err);
    if (!code) code = mk_page_table(page, t, &how, err);
    mk_table_free(t);
    return code;
}

static int add_pictures(struct mk_page *page, const struct mk_node *files, struct mk_error *err)
{
    char name[MK_CLIP_ROOM];
    int code = mk_check_list(files, "pictures", "file", err);
    if (!code) mk_page_pictures_begin(page);
    for (size_t i = 0; i < files->n && !code; i++) {
        const char *path = text_of(files->child[i]);
        code = mk_page_picture(page, path, mk_file_stem(path, name, sizeof name), err);
    }
    if (!code) mk_page_pictures_end(page);
    return code;
}

static int add_part(struct mk_page *page, const struct mk_node *part, const struct mk_node *parts, struct mk_error *err)
{
    static const char *const keys[] = {"heading", "text", "code", "pictures", "table", "folded"};
    int code = mk_check_keys(part, "a part", keys, sizeof keys / sizeof *keys, err);
    if (code) return code;
    const struct mk_node *heading = mk_node_get(part, "heading"), *text = mk_node_get(part, "text");
    const struct mk_node *verbatim = mk_node_get(part, "code"), *pictures = mk_node_get(part, "pictures");
    const struct mk_node *table = mk_node_get(part, "table"), *folded = mk_node_get(part, "folded");
    if (heading) mk_page_heading(page, 2, text_of(heading));
    if (text) mk_page_paragraph(page, text_of(text));
    if (verbatim) mk_page_verbatim(page, NULL, text_of(verbatim));
    if (folded) mk_page_fold_begin(page, text_of(folded));
    if (pictures) code = add_pictures(page, pictures, err);
    if (table && !code) code = add_table(page, table, parts, err);
    if (folded) mk_page_fold_end(page);
    return code;
}

int mk_report_document(struct mk_page *page, const struct mk_node *document, struct mk_error *err)
{
    static const char *const keys[] = {"parts"};
    int code = mk_check_keys(document, "a document", keys, 1, err);
    const struct mk_node *parts = code ? NULL : mk_node_get(document, "parts");
    if (!code && !parts) code = mk_fail_at(err, document->where, "parts", "missing; expected a list");
    if (!code) code = mk_check_list(parts, "parts", "part", err);
    for (size_t i = 0; parts && i < parts->n && !code; i++) code = add_part(page, parts->child[i], parts, err);
    return code;
}
