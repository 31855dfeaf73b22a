#include "sim/problem/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/registry.h"

/* ---- curves ---- */

#define LOW_AND_HIGH                                                                                                   \
    MK_FINITE("low", MK_OPTIONAL, 0,                                                                                   \
              "value at the first pull (default: 0, or the value that the previous curve has reached)"),               \
        MK_FINITE("high", 0, 1, "limit of the curve, >= low")
#define RATE MK_POSITIVE("rate", MK_REQUIRED, 0, "rate of the rise")

enum { RISE_RATE = MK_PROCESS_CURVE_OWN, RISE_MIDDLE };

static const struct mk_param power_params[] = {LOW_AND_HIGH, RATE, MK_PARAMS_END};
static const struct mk_param logistic_params[] = {
    LOW_AND_HIGH,
    RATE,
    {"middle", MK_REAL, MK_OPEN_HI, 1, 1, INFINITY, NULL,
     "pull of the inflection of the logistic function; if above 1, the curve is convex up to there"},
    MK_PARAMS_END};
MK_PARAMS_ARE(power_params, RISE_RATE + 1);
MK_PARAMS_ARE(logistic_params, RISE_MIDDLE + 1);

static double power_share(const double *v, double m)
{
    return -expm1(-v[RISE_RATE] * log(m));
}

static double exponential_share(const double *v, double m)
{
    return -expm1(-v[RISE_RATE] * (m - 1));
}

static double logistic_share(const double *v, double m)
{
    double s = 1 / (1 + exp(-v[RISE_RATE] * (m - v[RISE_MIDDLE])));
    double s1 = 1 / (1 + exp(-v[RISE_RATE] * (1 - v[RISE_MIDDLE])));
    return (s - s1) / (1 - s1);
}

static const struct mk_process_curve rises[] = {
    {"power", "concave; approaches its limit as a power of the number of pulls", "f(m) = high - (high - low) m^-rate",
     "Metelli et al. 2022, the polynomial family (b = 1, m = t + 1)", power_params, power_share},
    {"exponential", "concave; approaches its limit exponentially", "f(m) = high - (high - low) exp(-rate (m - 1))",
     "Metelli et al. 2022, the exponential family (m = t + 1)", power_params, exponential_share},
    {"logistic", "saturation along a logistic function; concave for middle = 1, otherwise convex at first",
     "f(m) = low + (high - low) (S(m) - S(1)) / (1 - S(1)), S(m) = 1 / (1 + exp(-rate (m - middle)))",
     "Verhulst 1838; concavity as in Li et al. 2020, Section 3, holds for middle = 1", logistic_params, logistic_share},
};

MK_REGISTRY_BY_NAME(mk_process_curve, mk_process_curve, rises, &rises[i])

/* ---- building ---- */

int mk_process_new(struct mk_process **out, struct mk_error *err)
{
    struct mk_process *p = calloc(1, sizeof *p);
    if (!p) return mk_fail_memory(err, "a process");
    p->clip_lo = -INFINITY;
    p->clip_hi = INFINITY;
    *out = p;
    return MK_OK;
}

void mk_process_free(struct mk_process *p)
{
    if (!p) return;
    free(p->piece);
    mk_dist_free(p->start);
    mk_dist_free(p->end);
    free(p);
}

int mk_process_add(struct mk_process *p, uint64_t at, const struct mk_process_curve *rise, const double *v, int *param,
                   struct mk_error *err)
{
    char range[160], text[32];
    *param = -1;
    if (p->n_pieces ? at <= p->piece[p->n_pieces - 1].at : at != 1)
        return mk_fail(err, MK_EINPUT,
                       p->n_pieces ? "expected a pull after the previous break (or after pull 1)"
                                   : "expected 1 for the first curve");
    struct mk_piece piece = {.at = at, .rise = rise};
    memcpy(piece.v, v, sizeof piece.v);
    if (isnan(v[MK_PROCESS_CURVE_LOW])) piece.v[MK_PROCESS_CURVE_LOW] = p->n_pieces ? mk_process_mean(p, at) : 0;
    for (int i = 0; rise->params[i].name; i++) {
        *param = i;
        if (!mk_param_allows(&rise->params[i], piece.v[i]))
            return mk_fail(err, MK_EINPUT, "expected %s", mk_param_range(&rise->params[i], range, sizeof range));
    }
    *param = MK_PROCESS_CURVE_HIGH;
    if (piece.v[MK_PROCESS_CURVE_HIGH] < piece.v[MK_PROCESS_CURVE_LOW])
        return mk_fail(err, MK_EINPUT, "expected a number >= low, which is %s",
                       mk_format_real(piece.v[MK_PROCESS_CURVE_LOW], text, sizeof text));
    if (!MK_GROW(p->piece, p->n_pieces, 1)) return mk_fail_memory(err, "a process");
    p->piece[p->n_pieces++] = piece;
    *param = -1;
    return MK_OK;
}

static int fail_param(const struct mk_dist *d, size_t i, const char *problem, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "%s of %s %s", d->type->params[i].name, d->type->name, problem);
}

/* Whether b can be reached from a. */
static int check_path(const struct mk_dist *a, const struct mk_dist *b, int geometric, struct mk_error *err)
{
    if (a->type != b->type)
        return mk_fail(err, MK_EINPUT,
                       "expected the same family, truncate, clip, shift and factor at start and end; got %s and %s",
                       a->type->name, b->type->name);
    const struct mk_param *params = a->type->params;
    for (size_t i = 0; params[i].name; i++) {
        const double x = a->v[i], y = b->v[i];
        if (params[i].kind == MK_LIST || params[i].kind == MK_PARTS)
            return mk_fail(err, MK_EINPUT, "%s cannot drift; expected a family whose parameters are numbers",
                           a->type->name);
        if (isnan(x) != isnan(y)) return fail_param(a, i, "is given at only one of start and end", err);
        if (isnan(x) || x == y) continue;
        if (params[i].kind != MK_REAL)
            return fail_param(a, i, "cannot drift; expected the same value at start and end", err);
        if (!isfinite(x) || !isfinite(y)) return fail_param(a, i, "cannot drift to or from infinity", err);
        if (geometric && !(x * y > 0)) return fail_param(a, i, "cannot pass through 0 on a geometric path", err);
    }
    return a->n_parts ? check_path(a->part[0], b->part[0], geometric, err) : MK_OK;
}

static int interpolate(struct mk_dist **out, const struct mk_dist *a, const struct mk_dist *b, double w, int geometric,
                       struct mk_error *err)
{
    struct mk_dist *inner = NULL, *parts[1];
    struct mk_dist_spec spec = {.type = a->type};
    int code = a->n_parts ? interpolate(&inner, a->part[0], b->part[0], w, geometric, err) : MK_OK;
    if (code) return code;
    for (size_t i = 0; i < MK_MAX_PARAMS; i++) {
        const double x = a->v[i], y = b->v[i];
        spec.v[i] = x == y || isnan(x) ? x : geometric ? x * pow(y / x, w) : x + w * (y - x);
    }
    parts[0] = inner;
    spec.parts = parts;
    spec.n_parts = inner != NULL;
    code = mk_dist_new(out, &spec, NULL, err);
    if (code) mk_dist_free(inner);
    return code;
}

static int distribution_at(const struct mk_process *p, uint64_t n, struct mk_dist **out, struct mk_error *err)
{
    double w = n > p->over ? 1 : (double)(n - 1) / (double)p->over;
    return interpolate(out, p->start, p->end, w, p->geometric, err);
}

/* Parameters are allowed on intervals and relations between them are linear, so that what holds at both ends holds in
 * between; families for which this fails are caught at the pulls probed here. */
static int check_between(const struct mk_process *p, struct mk_error *err)
{
    enum { LOOKS = 16 };
    for (uint64_t i = 0; i <= LOOKS; i++) {
        struct mk_dist *d = NULL;
        uint64_t n = 1 + (uint64_t)((double)p->over * (double)i / LOOKS);
        int code = distribution_at(p, n, &d, err);
        if (code == MK_EINPUT)
            return mk_fail(err, MK_EINPUT, "at pull %llu the drift passes through a value that is not allowed: %s",
                           (unsigned long long)n, err->text);
        if (code) return code;
        mk_dist_free(d);
    }
    return MK_OK;
}

int mk_process_drift(struct mk_process **out, struct mk_dist *start, struct mk_dist *end, uint64_t over, int geometric,
                     struct mk_error *err)
{
    struct mk_process *p = NULL;
    struct mk_error why;
    int code = check_path(start, end, geometric, err);
    if (!code) code = mk_process_new(&p, err);
    if (code) return code;
    p->start = start;
    p->end = end;
    p->over = over;
    p->geometric = geometric;
    code = check_between(p, &why);
    if (code) {
        p->start = p->end = NULL; /* they still belong to the caller */
        mk_process_free(p);
        return mk_fail(err, code, "%s", why.text);
    }
    *out = p;
    return MK_OK;
}

/* ---- rewards ---- */

static double piece_value(const struct mk_piece *piece, uint64_t n)
{
    double low = piece->v[MK_PROCESS_CURVE_LOW], high = piece->v[MK_PROCESS_CURVE_HIGH];
    return low + (high - low) * piece->rise->share(piece->v, (double)(n - piece->at + 1));
}

static size_t piece_of(const struct mk_process *p, uint64_t n)
{
    size_t i = p->n_pieces - 1;
    while (i > 0 && n < p->piece[i].at) i--;
    return i;
}

double mk_process_mean(const struct mk_process *p, uint64_t n)
{
    return piece_value(&p->piece[piece_of(p, n)], n);
}

struct mk_dist *mk_process_distribution(const struct mk_process *p, uint64_t n)
{
    struct mk_dist *d = NULL;
    return distribution_at(p, n, &d, NULL) ? NULL : d;
}

/* The mean of a normal variable cut off to [lo, hi]. */
static double clipped_normal_mean(double mean, double sigma, double lo, double hi)
{
    const double a = (lo - mean) / sigma, b = (hi - mean) / sigma;
    double sum = mean * (mk_normal_upper(a) - mk_normal_upper(b));
    sum += sigma * (mk_normal_density(a) - mk_normal_density(b));
    if (isfinite(a)) sum += lo * mk_normal_upper(-a);
    if (isfinite(b)) sum += hi * mk_normal_upper(b);
    return sum;
}

double mk_process_reward_mean(const struct mk_process *p, uint64_t n)
{
    double value = NAN;
    if (p->n_pieces) {
        const double mean = mk_process_mean(p, n);
        return p->noise > 0 ? clipped_normal_mean(mean, p->noise, p->clip_lo, p->clip_hi)
                            : fmin(fmax(mean, p->clip_lo), p->clip_hi);
    }
    struct mk_dist *d = mk_process_distribution(p, n);
    if (!d || mk_dist_expected_max(d, 1, &value, NULL)) value = NAN;
    mk_dist_free(d);
    return value;
}

double mk_process_reward_quantile(const struct mk_process *p, uint64_t n, double level)
{
    if (p->n_pieces)
        return fmin(fmax(mk_process_mean(p, n) + p->noise * mk_normal_inverse(1 - level, level), p->clip_lo),
                    p->clip_hi);
    struct mk_dist *d = mk_process_distribution(p, n);
    const double value = d ? mk_dist_inverse_survival(d, 1 - level) : NAN;
    mk_dist_free(d);
    return value;
}

static int sample_drift(const struct mk_process *p, struct mk_pcg64 *rng, uint64_t first, size_t n, double *out)
{
    size_t i = 0;
    for (; i < n && first + i <= p->over; i++) {
        struct mk_dist *d = mk_process_distribution(p, first + i);
        if (!d) return MK_ENOMEM;
        d->type->sample(d, rng, 1, out + i);
        mk_dist_free(d);
    }
    if (i < n) p->end->type->sample(p->end, rng, n - i, out + i);
    return MK_OK;
}

int mk_process_sample(const struct mk_process *p, struct mk_pcg64 *rng, uint64_t first, size_t n, double *out)
{
    if (!p->n_pieces) return sample_drift(p, rng, first, n, out);
    size_t piece = piece_of(p, first);
    if (p->noise > 0) {
        mk_block_uniform(rng, n, out);
        mk_block_normal(n, out);
    }
    for (size_t i = 0; i < n; i++) {
        while (piece + 1 < p->n_pieces && first + i >= p->piece[piece + 1].at) piece++;
        double x = piece_value(&p->piece[piece], first + i) + (p->noise > 0 ? p->noise * out[i] : 0);
        out[i] = x < p->clip_lo ? p->clip_lo : x > p->clip_hi ? p->clip_hi : x;
    }
    return MK_OK;
}

/* ---- text ---- */

const char *mk_process_family(const struct mk_process *p)
{
    return p->n_pieces ? "curve" : "drift";
}

static void print_curve(FILE *f, const struct mk_piece *piece)
{
    char text[32];
    fprintf(f, "curve: %s", piece->rise->name);
    for (size_t i = 0; piece->rise->params[i].name; i++)
        fprintf(f, ", %s: %s", piece->rise->params[i].name, mk_format_real(piece->v[i], text, sizeof text));
}

static void print_pieces(FILE *f, const struct mk_process *p)
{
    char lo[32], hi[32];
    print_curve(f, &p->piece[0]);
    fprintf(f, ", noise: %s", mk_format_real(p->noise, lo, sizeof lo));
    if (isfinite(p->clip_lo) || isfinite(p->clip_hi))
        fprintf(f, ", clip: [%s, %s]", mk_format_real(p->clip_lo, lo, sizeof lo),
                mk_format_real(p->clip_hi, hi, sizeof hi));
    for (size_t i = 1; i < p->n_pieces; i++) {
        fprintf(f, "%s{at: %llu, ", i > 1 ? ", " : ", breaks: [", (unsigned long long)p->piece[i].at);
        print_curve(f, &p->piece[i]);
        fputc('}', f);
    }
    if (p->n_pieces > 1) fputc(']', f);
}

char *mk_process_text(const struct mk_process *p)
{
    char *text = NULL, *start = NULL, *end = NULL;
    size_t size;
    if (!p->n_pieces && (!(start = mk_dist_text(p->start)) || !(end = mk_dist_text(p->end)))) {
        free(start);
        return NULL;
    }
    FILE *f = open_memstream(&text, &size);
    int failed = !f;
    if (f) {
        fputc('{', f);
        if (p->n_pieces)
            print_pieces(f, p);
        else
            fprintf(f, "start: %s, end: %s, over: %llu, path: %s", start, end, (unsigned long long)p->over,
                    p->geometric ? "geometric" : "linear");
        fputc('}', f);
        failed = ferror(f) != 0;
        failed |= fclose(f) != 0;
    }
    free(start);
    free(end);
    if (!failed) return text;
    free(text);
    return NULL;
}
