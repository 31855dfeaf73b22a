/* The rows of the benchmark's table. */
#include "sim/bench/bench.h"

void mk_bench_print(struct mk_bench *b, const struct mk_bench_row *row)
{
    mk_table_text(b->table, row->section);
    mk_table_text(b->table, row->item);
    mk_table_real(b->table, row->value);
    mk_table_text(b->table, row->unit);
    const double number[] = {row->plain, row->ratio, row->elsewhere, row->factor};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) mk_table_real(b->table, number[i]);
    mk_table_text(b->table, row->target);
    mk_table_text(b->table, row->met < 0 ? "" : row->met ? "yes" : "no");
}
