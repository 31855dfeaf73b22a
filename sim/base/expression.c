/* Recursive descent:  sum = product {(+|-) product};  product = sign {(*|/) sign};  sign = {+|-} power;
 * power = atom [^ sign];  atom = number | name | name(sum {, sum}) | (sum). */
#include "sim/base/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

enum operation { NUMBER, QUANTITY, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, CALL_1, CALL_2 };

struct step {
    enum operation op;
    union {
        double number;
        size_t at; /* of a quantity or a function */
    } of;
};

struct mk_expression {
    size_t n;
    struct step *step;
};

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
    {"log", log, NULL},   {"log2", log2, NULL}, {"log10", log10, NULL}, {"exp", exp, NULL},
    {"sqrt", sqrt, NULL}, {"abs", fabs, NULL},  {"floor", floor, NULL}, {"ceil", ceil, NULL},
    {"min", NULL, fmin},  {"max", NULL, fmax},  {"pow", NULL, pow},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct parser {
    const char *text, *at;
    const char *const *name;
    size_t n_names;
    size_t depth;          /* of the recursion */
    size_t stack, deepest; /* values on the stack after the steps so far */
    struct mk_expression *e;
    struct mk_error *err;
};

static int fail(const struct parser *p, const char *place, const char *what)
{
    return mk_fail(p->err, MK_EINPUT, "character %zu: %s", (size_t)(place - p->text) + 1, what);
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

/* The next character, blanks skipped. */
static char next(struct parser *p)
{
    skip_blanks(p);
    return *p->at;
}

static int emit(struct parser *p, struct step s, int change)
{
    struct mk_expression *e = p->e;
    if (!MK_GROW(e->step, e->n, 1)) return mk_fail_memory(p->err, "an expression");
    e->step[e->n++] = s;
    p->stack = (size_t)((long)p->stack + change);
    if (p->stack > p->deepest) p->deepest = p->stack;
    return p->deepest <= MK_EXPRESSION_DEPTH ? MK_OK : fail(p, p->at, "nested too deeply");
}

static int emit_operator(struct parser *p, enum operation op)
{
    return emit(p, (struct step){.op = op}, op == NEGATE ? 0 : -1);
}

static int read_sum(struct parser *p);
static int read_sign(struct parser *p);

/* Digits with an optional point and exponent; unlike strtod no hexadecimal, inf or nan, and no locale. */
static int read_number(struct parser *p)
{
    const char *start = p->at, *c = start;
    double x;
    while (isdigit((unsigned char)*c)) c++;
    if (*c == '.') c++;
    while (isdigit((unsigned char)*c)) c++;
    if (*c == 'e' || *c == 'E') {
        const char *digits = c + 1 + (c[1] == '+' || c[1] == '-');
        if (isdigit((unsigned char)*digits)) {
            for (c = digits; isdigit((unsigned char)*c);) c++;
        }
    }
    if (!mk_parse_real(start, (size_t)(c - start), &x)) return fail(p, start, "not a number");
    p->at = c;
    return emit(p, (struct step){.op = NUMBER, .of.number = x}, 1);
}

static int read_call(struct parser *p, size_t f, const char *place)
{
    const size_t wants = functions[f].one ? 1 : 2;
    size_t got = 0;
    int code;
    do {
        p->at++; /* the bracket or the comma */
        code = read_sum(p);
        got++;
    } while (!code && next(p) == ',');
    if (code) return code;
    if (*p->at != ')') return fail(p, p->at, "missing closing parenthesis");
    p->at++;
    if (got != wants)
        return fail(p, place, wants == 1 ? "this function takes one value" : "this function takes two values");
    return emit(p, (struct step){.op = wants == 1 ? CALL_1 : CALL_2, .of.at = f}, 1 - (int)wants);
}

static int unknown(const struct parser *p, const char *word, const char *place)
{
    char list[600], clip[MK_CLIP_ROOM], all[128];
    const char *known[FUNCTIONS];
    for (size_t f = 0; f < FUNCTIONS; f++) known[f] = functions[f].name;
    return mk_fail(p->err, MK_EINPUT, "character %zu: unknown quantity '%s'; allowed: %s; functions: %s",
                   (size_t)(place - p->text) + 1, mk_clip(word, clip), mk_join(p->name, p->n_names, list, sizeof list),
                   mk_join(known, FUNCTIONS, all, sizeof all));
}

static int read_name(struct parser *p)
{
    const char *place = p->at;
    char word[64];
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') n++;
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), p->at);
    p->at += n;
    if (next(p) == '(') {
        for (size_t f = 0; f < FUNCTIONS; f++)
            if (strcmp(functions[f].name, word) == 0) return read_call(p, f, place);
        return unknown(p, word, place);
    }
    for (size_t i = 0; n < sizeof word && i < p->n_names; i++)
        if (strcmp(p->name[i], word) == 0) return emit(p, (struct step){.op = QUANTITY, .of.at = i}, 1);
    return unknown(p, word, place);
}

static int read_atom(struct parser *p)
{
    char c = next(p);
    if (isdigit((unsigned char)c) || c == '.') return read_number(p);
    if (isalpha((unsigned char)c)) return read_name(p);
    if (c == '\0') return fail(p, p->at, "expected a value, got the end of the expression");
    if (c != '(') return fail(p, p->at, "expected a value");
    p->at++;
    int code = read_sum(p);
    if (code) return code;
    if (next(p) != ')') return fail(p, p->at, "missing closing parenthesis");
    p->at++;
    return MK_OK;
}

static int read_power(struct parser *p)
{
    int code = read_atom(p);
    if (code || next(p) != '^') return code;
    p->at++;
    code = read_sign(p);
    return code ? code : emit_operator(p, POWER);
}

static int read_sign(struct parser *p)
{
    int negative = 0, code;
    if (++p->depth > MK_EXPRESSION_DEPTH) return fail(p, p->at, "nested too deeply");
    for (char c; (c = next(p)) == '+' || c == '-'; p->at++) negative ^= c == '-';
    code = read_power(p);
    p->depth--;
    return code || !negative ? code : emit_operator(p, NEGATE);
}

static int read_product(struct parser *p)
{
    int code = read_sign(p);
    for (char c; !code && ((c = next(p)) == '*' || c == '/');) {
        p->at++;
        code = read_sign(p);
        if (!code) code = emit_operator(p, c == '*' ? MULTIPLY : DIVIDE);
    }
    return code;
}

static int read_sum(struct parser *p)
{
    int code = read_product(p);
    for (char c; !code && ((c = next(p)) == '+' || c == '-');) {
        p->at++;
        code = read_product(p);
        if (!code) code = emit_operator(p, c == '+' ? ADD : SUBTRACT);
    }
    return code;
}

int mk_expression_new(struct mk_expression **out, const char *text, const char *const *name, size_t n,
                      struct mk_error *err)
{
    struct parser p = {.text = text, .at = text, .name = name, .n_names = n, .err = err};
    if (strlen(text) > MK_EXPRESSION_BYTES)
        return mk_fail(err, MK_EINPUT, "expression longer than %d characters", MK_EXPRESSION_BYTES);
    p.e = calloc(1, sizeof *p.e);
    if (!p.e) return mk_fail_memory(err, "an expression");
    int code = read_sum(&p);
    if (!code && next(&p)) code = fail(&p, p.at, "expected an operator or the end");
    if (code)
        mk_expression_free(p.e);
    else
        *out = p.e;
    return code;
}

void mk_expression_free(struct mk_expression *e)
{
    if (!e) return;
    free(e->step);
    free(e);
}

bool mk_expression_uses(const struct mk_expression *e, size_t i)
{
    for (size_t k = 0; k < e->n; k++)
        if (e->step[k].op == QUANTITY && e->step[k].of.at == i) return true;
    return false;
}

static double apply(const struct step *s, double a, double b)
{
    switch (s->op) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case POWER: return pow(a, b);
    case CALL_2: /* fmin and fmax would drop a NaN */ return isnan(a) || isnan(b) ? NAN : functions[s->of.at].two(a, b);
    default: return NAN;
    }
}

double mk_expression_value(const struct mk_expression *e, const double *value)
{
    double stack[MK_EXPRESSION_DEPTH + 1] = {0};
    size_t n = 0;
    for (size_t k = 0; k < e->n; k++) {
        const struct step *s = &e->step[k];
        switch (s->op) {
        case NUMBER: stack[n++] = s->of.number; break;
        case QUANTITY: stack[n++] = value[s->of.at]; break;
        case NEGATE: stack[n - 1] = -stack[n - 1]; break;
        case CALL_1: stack[n - 1] = functions[s->of.at].one(stack[n - 1]); break;
        default: n--; stack[n - 1] = apply(s, stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}

/* ---- ranges ---- */

struct interval {
    double lo, hi;
    bool may_be_nan; /* which min and max do not bound */
};

static struct interval anything(bool may_be_nan)
{
    return (struct interval){-INFINITY, INFINITY, may_be_nan};
}

static struct interval hull(double a, double b, double c, double d)
{
    if (isnan(a) || isnan(b) || isnan(c) || isnan(d)) return anything(true);
    return (struct interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)), false};
}

static bool holds_zero(struct interval a)
{
    return a.lo <= 0 && a.hi >= 0;
}

static bool is_infinite(struct interval a)
{
    return isinf(a.lo) || isinf(a.hi);
}

/* What is monotone in both values has its extremes at the corners. */
static struct interval at_corners(const struct step *s, struct interval a, struct interval b)
{
    return hull(apply(s, a.lo, b.lo), apply(s, a.lo, b.hi), apply(s, a.hi, b.lo), apply(s, a.hi, b.hi));
}

static struct interval power_range(const struct step *s, struct interval a, struct interval b)
{
    const bool whole = b.lo == b.hi && b.lo == floor(b.lo);
    if (a.lo > 0 || (a.lo == 0 && b.lo >= 0)) return at_corners(s, a, b);
    if (!whole || (b.lo < 0 && a.hi >= 0)) return anything(!whole && a.lo < 0);
    struct interval r = at_corners(s, a, b);
    if (a.hi > 0 && fmod(b.lo, 2) == 0 && b.lo > 0) r.lo = 0;
    return r;
}

static struct interval pair_range(const struct step *s, struct interval a, struct interval b)
{
    struct interval r;
    if (s->op == DIVIDE && holds_zero(b))
        r = anything(holds_zero(a));
    else if (s->op == POWER || (s->op == CALL_2 && functions[s->of.at].two == pow))
        r = power_range(s, a, b);
    else
        r = at_corners(s, a, b);
    if (s->op == MULTIPLY) r.may_be_nan |= (holds_zero(a) && is_infinite(b)) || (holds_zero(b) && is_infinite(a));
    r.may_be_nan |= a.may_be_nan || b.may_be_nan;
    return r;
}

static struct interval call_range(double (*f)(double), struct interval a)
{
    if (f == fabs && a.lo < 0) return (struct interval){a.hi > 0 ? 0 : -a.hi, fmax(-a.lo, a.hi), a.may_be_nan};
    const double lo = f(a.lo), hi = f(a.hi);
    return isnan(lo) || isnan(hi) ? anything(true) : (struct interval){lo, hi, a.may_be_nan};
}

void mk_expression_range(const struct mk_expression *e, const double *lo, const double *hi, double *from, double *to)
{
    struct interval stack[MK_EXPRESSION_DEPTH + 1] = {{0}};
    size_t n = 0;
    for (size_t k = 0; k < e->n; k++) {
        const struct step *s = &e->step[k];
        struct interval *top = stack + n - (n > 0);
        switch (s->op) {
        case NUMBER: stack[n++] = (struct interval){s->of.number, s->of.number, false}; break;
        case QUANTITY: stack[n++] = (struct interval){lo[s->of.at], hi[s->of.at], false}; break;
        case NEGATE: *top = (struct interval){-top->hi, -top->lo, top->may_be_nan}; break;
        case CALL_1: *top = call_range(functions[s->of.at].one, *top); break;
        default: n--; stack[n - 1] = pair_range(s, stack[n - 1], stack[n]);
        }
    }
    *from = stack[0].may_be_nan ? -INFINITY : stack[0].lo;
    *to = stack[0].may_be_nan ? INFINITY : stack[0].hi;
}
