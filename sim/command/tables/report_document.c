#include "sim/command/tables/report_document.h"

#include <stdbool.h>
#include <string.h>

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

static int add_table(struct mk_page *page, const struct mk_node *rows, const struct mk_node *parts,
                     struct mk_error *err)
{
    int code = mk_check_list(rows, "table", "row", err);
    for (size_t i = 0; i < rows->n && !code; i++) {
        const struct mk_node *row = rows->child[i];
        code = mk_check_list(row, "table", "cell", err);
        if (code) break;
        mk_page_row_begin(page, i == 0);
        for (size_t k = 0; k < row->n; k++) {
            const char *text = text_of(row->child[k]);
            mk_page_cell(page, text, i > 0 && is_heading(parts, text));
        }
        mk_page_row_end(page, i + 1 == rows->n);
    }
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
    if (heading) mk_page_section(page, text_of(heading));
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
