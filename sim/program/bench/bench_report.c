/* The tables of the benchmark and the rows of that of rates. */
#include <math.h>
#include <stdio.h>

#include "sim/program/bench/bench.h"

#define COLUMNS(X)                                                                                                     \
    X(SECTION, "section", TEXT, "", "part of the benchmark (--only)")                                                  \
    X(BENCH_ITEM, "item", TEXT, "", "what is measured")                                                                \
    X(VALUE, "value", REAL, "see unit", "median of the rounds")                                                        \
    X(UNIT, "unit", TEXT, "", "unit of value, plain_loop and elsewhere")                                               \
    X(PLAIN, "plain_loop", REAL, "see unit", "the plain scalar loop, timed alternately with it in this run")           \
    X(RATIO, "ratio", REAL, "", "value / plain_loop, median of the rounds")                                            \
    X(ELSEWHERE, "elsewhere", REAL, "see unit", "what another program reached on another machine")                     \
    X(FACTOR, "factor", REAL, "", "value / elsewhere, scaled by the plain loops of both machines")                     \
    X(TARGET, "target", TEXT, "", "what is aimed at")                                                                  \
    X(MET, "met", TEXT, "", "yes or no; empty: there is no target")
MK_TABLE_COLUMNS(columns, COLUMNS);
const struct mk_table_schema mk_bench_schema = MK_TABLE_SCHEMA("speed", columns, NULL);

struct mk_bench_row mk_bench_row(const char *item, double value, const char *unit)
{
    return (struct mk_bench_row){item, value, unit, NAN, NAN, NAN, NAN, "", -1};
}

struct mk_bench_row mk_bench_rate(const char *item, double rate, double plain, double ratio)
{
    struct mk_bench_row row = mk_bench_row(item, 1e-6 * rate, "M pulls/s");
    row.plain = 1e-6 * plain;
    row.ratio = ratio;
    return row;
}

void mk_bench_print(struct mk_bench *b, const struct mk_bench_row *row)
{
    struct mk_table *t = b->table;
    mk_table_list_row(t, mk_table_rows(t));
    mk_table_set_text(t, SECTION, b->section);
    mk_table_set_text(t, BENCH_ITEM, row->item);
    mk_table_set_real(t, VALUE, row->value);
    mk_table_set_text(t, UNIT, row->unit);
    mk_table_set_real(t, PLAIN, row->plain);
    mk_table_set_real(t, RATIO, row->ratio);
    mk_table_set_real(t, ELSEWHERE, row->elsewhere);
    mk_table_set_real(t, FACTOR, row->factor);
    mk_table_set_text(t, TARGET, row->target);
    mk_table_set_text(t, MET, row->met < 0 ? "" : row->met ? "yes" : "no");
    mk_table_end_row(t);
}

void mk_bench_print_value(struct mk_bench *b, const char *item, double value, const char *unit, double most)
{
    char target[32];
    struct mk_bench_row row = mk_bench_row(item, value, unit);
    if (isfinite(most)) {
        snprintf(target, sizeof target, "<= %g %s", most, unit);
        row.target = target;
        row.met = value <= most;
    }
    mk_bench_print(b, &row);
}

static const struct mk_column scaling_columns[] = {MK_SCALING_COLUMNS(MK_COLUMN_DESCRIPTOR)};
const struct mk_table_schema mk_scaling_schema = MK_TABLE_SCHEMA("time per pull", scaling_columns, NULL);
