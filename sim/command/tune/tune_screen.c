#include "sim/command/tune/tune_screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/progress.h"
#include "sim/base/table_printer.h"
#include "sim/base/text.h"

enum { MOST_ARMS = 16, LABEL = 24 };
static const double redraw_every = 0.2, line_every = 10; /* seconds */

/* What the table says of an arm. */
struct row {
    size_t arm, trials, failed; /* failed, or infeasible */
    double best, last;          /* of the metric; NaN: none */
    double reward;              /* of the best */
};

void mk_tune_screen_begin(struct mk_tune_screen *s, FILE *to)
{
    *s = (struct mk_tune_screen){.to = to, .is_terminal = mk_terminal_width(to) > 0, .last = -1};
}

/* The label in LABEL columns. */
static void put_label(FILE *to, const char *label)
{
    char text[MK_CLIP_ROOM];
    mk_clip(label, text);
    size_t width = 0;
    const char *c = text;
    while (*c && width < LABEL - (mk_text_width(text) > LABEL)) {
        const size_t n = mk_text_character(c, strlen(c));
        fwrite(c, 1, n ? n : 1, to);
        c += n ? n : 1;
        width++;
    }
    if (*c) {
        fputs("…", to);
        width++;
    }
    for (; width < LABEL; width++) putc(' ', to);
}

static void put_value(FILE *to, double x)
{
    if (isnan(x))
        fprintf(to, " %10s", "-");
    else
        fprintf(to, " %10.5g", x);
}

static int by_best(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const double p = isnan(x->best) ? -INFINITY : x->reward, q = isnan(y->best) ? -INFINITY : y->reward;
    if (p != q) return p > q ? -1 : 1;
    return x->arm < y->arm ? -1 : x->arm > y->arm;
}

/* The arms, those with the best results first; malloc'ed, NULL: no memory. */
static struct row *rows_of(const struct mk_tune_view *v)
{
    struct row *row = calloc(v->t->n_arms, sizeof *row);
    if (!row) return NULL;
    for (size_t k = 0; k < v->t->n_arms; k++) row[k] = (struct row){.arm = k, .best = NAN, .last = NAN};
    for (size_t i = 0; i < mk_tune_state_n(v->state); i++) {
        const struct mk_trial *trial = mk_tune_state_trial(v->state, i);
        struct row *r = &row[trial->arm];
        if (!trial->done) continue;
        r->trials++;
        r->failed += trial->outcome.status != MK_TRIAL_OK;
        if (trial->outcome.status != MK_TRIAL_OK) continue;
        r->last = trial->outcome.value;
        const double reward = mk_tune_reward(v->t, r->last);
        if (!isnan(r->best) && !(reward > r->reward)) continue;
        r->best = r->last;
        r->reward = reward;
    }
    qsort(row, v->t->n_arms, sizeof *row, by_best);
    return row;
}

/* Seconds left by the pace so far and by the budget. */
static double time_left(const struct mk_tune_view *v)
{
    const double pace =
        v->ended && !v->t->open_budget ? v->elapsed / (double)v->ended * (double)(v->all - v->ended) : NAN;
    const double budget = v->t->seconds - v->elapsed;
    return isnan(pace) || pace > budget ? budget : pace;
}

static void put_time(FILE *to, double seconds)
{
    if (!isfinite(seconds))
        fputs("-", to);
    else if (seconds < 100)
        fprintf(to, "%.0f s", seconds);
    else if (seconds < 6000)
        fprintf(to, "%.0f min", seconds / 60);
    else
        fprintf(to, "%.1f h", seconds / 3600);
}

/* The run in a line: trials, failures, the best so far, time. */
static void put_progress(FILE *to, const struct mk_tune_view *v, const struct row *row)
{
    size_t failed = 0;
    char clip[MK_CLIP_ROOM];
    for (size_t k = 0; k < v->t->n_arms; k++) failed += row[k].failed;
    const char *what = v->t->n_constraints ? "failed or infeasible" : "failed";
    fprintf(to, "%.30s: %zu ", v->t->name, v->ended);
    if (!v->t->open_budget) fprintf(to, "of %zu ", v->all);
    fprintf(to, "trials, %zu running, ", v->running);
    if (failed) fprintf(to, "%zu %s (%.0f %%), ", failed, what, 100 * (double)failed / (double)v->ended);
    if (v->again)
        fprintf(to, "best again %zu of %" PRIu64 ", ", mk_tune_state_reevaluated(v->state).n, v->t->reevaluate);
    if (!isnan(row[0].best)) fprintf(to, "best %.6g by %s, ", row[0].best, mk_clip(v->t->arm[row[0].arm].label, clip));
    put_time(to, v->elapsed);
    fputs(", left ", to);
    put_time(to, time_left(v));
}

static size_t draw(const struct mk_tune_screen *s, const struct mk_tune_view *v)
{
    struct row *row = rows_of(v);
    size_t lines = 2, shown = v->t->n_arms < MOST_ARMS ? v->t->n_arms : MOST_ARMS;
    if (!row) return 0;
    put_progress(s->to, v, row);
    fprintf(s->to, "\033[K\n%-*s %6s %6s %6s %10s %10s\033[K\n", LABEL, "arm", "trials", "failed", "share", "best",
            "last");
    for (size_t i = 0; i < shown; i++, lines++) {
        const struct row *r = &row[i];
        put_label(s->to, v->t->arm[r->arm].label);
        fprintf(s->to, " %6zu %6zu %5.0f%%", r->trials, r->failed,
                v->ended ? 100 * (double)r->trials / (double)v->ended : 0);
        put_value(s->to, r->best);
        put_value(s->to, r->last);
        fputs("\033[K\n", s->to);
    }
    if (shown < v->t->n_arms) {
        fprintf(s->to, "and %zu more arms\033[K\n", v->t->n_arms - shown);
        lines++;
    }
    free(row);
    return lines;
}

static void put_line(const struct mk_tune_screen *s, const struct mk_tune_view *v, size_t number)
{
    const struct mk_trial *t = mk_tune_state_trial(v->state, number);
    char clip[MK_CLIP_ROOM];
    const struct mk_trial_outcome *o = v->again ? &v->again->outcome : &t->outcome;
    fprintf(s->to, "trial %zu%s, %s: ", number + 1, v->again ? " again" : "", mk_clip(v->t->arm[t->arm].label, clip));
    if (o->status == MK_TRIAL_OK)
        fprintf(s->to, "%.6g", o->value);
    else
        fprintf(s->to, "%s, %s", o->status == MK_TRIAL_INFEASIBLE ? "infeasible" : "failed", o->why);
    fprintf(s->to, " (%.2f s)\n", o->seconds);
    fflush(s->to);
}

void mk_tune_screen_show(void *screen, const struct mk_tune_view *v, size_t number)
{
    struct mk_tune_screen *s = screen;
    const double now = mk_seconds();
    struct row *row;
    if (!s->is_terminal) {
        if (number != SIZE_MAX) put_line(s, v, number);
        if (number != SIZE_MAX && s->last >= 0 && now - s->last < line_every) return;
        if (number != SIZE_MAX && s->last >= 0 && (row = rows_of(v))) {
            put_progress(s->to, v, row);
            putc('\n', s->to);
            fflush(s->to);
            free(row);
        }
        if (number != SIZE_MAX) s->last = now;
        return;
    }
    if (s->last >= 0 && now - s->last < redraw_every && v->ended < v->all) return;
    if (s->lines) fprintf(s->to, "\033[%zuA", s->lines);
    s->lines = draw(s, v);
    s->last = now;
    fflush(s->to);
}

void mk_tune_screen_end(struct mk_tune_screen *s)
{
    fflush(s->to);
}
