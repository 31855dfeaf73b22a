/* A document for `maxk report`: a YAML (or JSON) file {parts: [PART, …]}, as tests/validate/report.py
 * writes it. */
#ifndef MAXK_ANALYSIS_PAGE_REPORT_DOCUMENT_H
#define MAXK_ANALYSIS_PAGE_REPORT_DOCUMENT_H

#include "analysis/page/report_page.h"
#include "sim/base/yaml_tree.h"

/* Adds the parts in their order; every part is a mapping with one of the keys
 *
 *   heading   a text
 *   text      a paragraph
 *   code      a text as it is
 *   pictures  a list of SVG files, relative to the working directory; named after their files
 *   table     a list of rows, the first of them the heads of the columns; cells that are a heading of the document link
 *             to it, and verdicts have their colours
 *
 * and, for pictures and tables, `folded`: the words in place of them until they are opened. MK_EINPUT: another form;
 * MK_EIO: a picture cannot be read. */
int mk_report_document(struct mk_page *page, const struct mk_node *document, struct mk_error *err);

#endif
