/* The arms of `problem: {processes: […]}`: curves with noise, clip and breaks, or drifts of a family. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/run/experiment/experiment_read.h"

enum { MOST_CURVES = 16 };

static int no_memory(struct mk_loader *l)
{
    return mk_fail_memory(l->err, "processes");
}

/* Gives an error of the library, which has no place, the place of a key or of the whole mapping. */
static int blame(struct mk_loader *l, const struct mk_node *node, const char *key, int code)
{
    const struct mk_node *at = mk_node_get(node, key);
    return mk_fail_there(l->err, at ? at->where : node->where, key, code);
}

static int find_curve(struct mk_loader *l, const struct mk_node *node, const struct mk_process_curve **out)
{
    const char *name[MOST_CURVES];
    char clip[MK_CLIP_ROOM];
    size_t n = 0;
    for (; n < mk_process_curve_count() && n < MOST_CURVES; n++) name[n] = mk_process_curve_at(n)->name;
    const struct mk_node *at = mk_node_get(node, "curve");
    if (!at) return mk_fail_at(l->err, node->where, "curve", "missing; expected the name of a curve");
    const char *text = at->kind == MK_NODE_SCALAR ? at->text : mk_node_describe(at, clip);
    *out = mk_process_curve_find(text);
    return *out ? MK_OK : mk_fail_name(l->err, at, "curve", "curve", name, n);
}

/* The curve that takes over at pull `at`: a mapping with the keys curve, its parameters, and those of `of`. */
static int read_piece(struct mk_loader *l, const struct mk_node *node, enum mk_file_mapping of, uint64_t at,
                      struct mk_process *p, struct mk_node *to)
{
    const struct mk_process_curve *rise;
    double v[MK_MAX_PARAMS];
    char range[256];
    int param, code = find_curve(l, node, &rise);
    if (code) return code;
    code = mk_check_item_keys(node, rise->name, MK_IN_PIECE, rise->params, of,
                              of == MK_IN_CURVE ? MK_IN_ARM : MK_FILE_MAPPINGS, l->err);
    mk_param_defaults(rise->params, v);
    for (size_t i = 0; !code && rise->params[i].name; i++) {
        const struct mk_param *par = &rise->params[i];
        const struct mk_node *value = mk_node_get(node, par->name);
        if (value)
            code = mk_read_param(value, par, 0, &v[i], l->err);
        else if (par->flags & MK_REQUIRED)
            code = mk_fail_at(l->err, node->where, par->name, "missing; expected %s",
                              mk_param_range(par, range, sizeof range));
    }
    if (code) return code;
    code = mk_process_add(p, at, rise, v, &param, l->err);
    if (code) return blame(l, node, param < 0 ? "at" : rise->params[param].name, code);
    const struct mk_piece *piece = &p->piece[p->n_pieces - 1];
    bool good = mk_add_text(to, "curve", rise->name);
    for (size_t i = 0; good && rise->params[i].name; i++) good = mk_add_real(to, rise->params[i].name, piece->v[i]);
    return good ? MK_OK : no_memory(l);
}

/* What breaks are read into. */
struct breaks {
    struct mk_loader *l;
    struct mk_process *p;
};

static int read_break(void *reading, const struct mk_node *node, size_t at, struct mk_node *to)
{
    const struct breaks *b = reading;
    char clip[MK_CLIP_ROOM];
    uint64_t pull = 0;
    (void)at;
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(b->l->err, node->where, "breaks", "expected a mapping {at: …, curve: …}, got %s",
                          mk_node_describe(node, clip));
    int code = MK_READ_KEY(node, MK_IN_BREAK, "at", &pull, to, b->l->err);
    return code ? code : read_piece(b->l, node, MK_IN_BREAK, pull, b->p, to);
}

static int read_clip(struct mk_loader *l, const struct mk_node *node, struct mk_process *p, struct mk_node *to)
{
    double end[2] = {0, 0};
    int code = mk_read_pair(node, end, to, l->err);
    p->clip_lo = end[0];
    p->clip_hi = end[1];
    if (!code && (!(p->clip_lo <= p->clip_hi) || p->clip_lo == INFINITY || p->clip_hi == -INFINITY))
        code = mk_fail_at(l->err, node->where, "clip", "expected [lo, hi] with lo <= hi and room for a finite number");
    return code;
}

/* Noise is a multiple of a standard normal number, which is below 10. */
static int check_curve(struct mk_loader *l, const struct mk_node *node, const struct mk_process *p)
{
    double most = 0;
    for (size_t i = 0; i < p->n_pieces; i++)
        most = fmax(most, fmax(fabs(p->piece[i].v[MK_PROCESS_CURVE_LOW]), fabs(p->piece[i].v[MK_PROCESS_CURVE_HIGH])));
    most += 10 * p->noise;
    if (most <= MK_MOST_REWARD) return MK_OK;
    return mk_fail_at(l->err, node->where, "curve", "expected rewards from " MK_REWARD_RANGE ", but they reach %g",
                      most);
}

static int read_curve(struct mk_loader *l, const struct mk_node *node, struct mk_process **out, struct mk_node *to)
{
    const struct mk_node *clip = mk_node_get(node, "clip"), *breaks = mk_node_get(node, "breaks");
    int code = mk_process_new(out, l->err);
    if (!code) code = read_piece(l, node, MK_IN_CURVE, 1, *out, to);
    if (!code) code = MK_READ_KEY(node, MK_IN_CURVE, "noise", &(*out)->noise, to, l->err);
    if (!code && clip) code = read_clip(l, clip, *out, to);
    if (!code && breaks)
        code =
            mk_read_items(breaks, "mapping {at: …, curve: …}", true, read_break, &(struct breaks){l, *out}, to, l->err);
    return code ? code : check_curve(l, node, *out);
}

static int read_end(struct mk_loader *l, const struct mk_node *node, const char *key, struct mk_dist **out,
                    struct mk_node *to)
{
    const struct mk_node *at;
    int code = mk_need_file_key(node, MK_IN_DRIFT, key, &at, l->err);
    if (code) return code;
    struct mk_node *mapping = mk_node_add(to, key, mk_node_new(MK_NODE_MAPPING, 1));
    return mapping ? mk_read_distribution(l, at, 0, out, mapping) : no_memory(l);
}

static int read_drift(struct mk_loader *l, const struct mk_node *node, struct mk_process **out, struct mk_node *to)
{
    struct mk_dist *start = NULL, *end = NULL;
    uint64_t pulls = 0;
    bool geometric = false;
    int code = mk_check_item_keys(node, mk_file_mappings[MK_IN_DRIFT].what, MK_IN_DRIFT, NULL, MK_IN_ARM,
                                  MK_FILE_MAPPINGS, l->err);
    if (!code) code = read_end(l, node, "start", &start, to);
    if (!code) code = read_end(l, node, "end", &end, to);
    if (!code) code = mk_check_rewards(l, mk_node_get(node, "start"), start);
    if (!code) code = mk_check_rewards(l, mk_node_get(node, "end"), end);
    if (!code) code = MK_READ_KEY(node, MK_IN_DRIFT, "over", &pulls, to, l->err);
    if (!code) code = MK_READ_KEY(node, MK_IN_DRIFT, "path", &geometric, to, l->err);
    if (!code) code = blame(l, node, "end", mk_process_drift(out, start, end, pulls, geometric, l->err));
    if (code) {
        mk_dist_free(start);
        mk_dist_free(end);
    }
    return code;
}

static int read_process(struct mk_loader *l, const struct mk_node *node, size_t arm, struct mk_node *to)
{
    struct mk_process **out = &l->e->problem->process[arm];
    char clip[MK_CLIP_ROOM];
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(
            l->err, node->where, "processes",
            "expected a mapping {curve: …, parameters} or {start: {family: …}, end: {family: …}, over: …}, got %s",
            mk_node_describe(node, clip));
    if (mk_node_get(node, "curve")) return read_curve(l, node, out, to);
    if (mk_node_get(node, "start") || mk_node_get(node, "end")) return read_drift(l, node, out, to);
    return mk_fail_at(l->err, node->where, "processes",
                      "expected either the key curve or the keys start, end and over");
}

int mk_read_processes(struct mk_loader *l, const struct mk_node *processes, struct mk_node *to)
{
    return mk_read_arm_list(l, processes, &mk_source_processes, read_process, to);
}
