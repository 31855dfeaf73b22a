/* Iterated racing (López-Ibáñez, Dubois-Lacoste, Pérez Cáceres, Birattari & Stützle 2016), by the rules of irace 3.5,
 * elitist, of a deterministic algorithm on a fixed number of instances, here folds.
 *
 * Race j has a budget B_j of the pulls that are left and N_j configurations (sim/search/plan/race.h): at most floor(2 +
 * log_2 d) elites of the race before, and new ones, at random in the first race, later near an elite drawn by rank
 * (parts/race_model.h). They are evaluated fold by fold; after `first` folds, and then every `each`, those go that the
 * test finds worse than the best (sim/search/models/race_test.h), elites not before the fold after their last. A race
 * ends when no more than the number of elites are left, the next fold exceeds B_j, two tests in a row eliminated
 * nothing, or the folds are over. When configurations of a race are alike to 1e-4, the models of their parents are
 * widened and the new ones drawn again (soft restart). When the budget that is left is too small for a race, single
 * configurations near elites are evaluated on all folds. With B everything is planned for B pulls, and begins again
 * after them.
 *
 * On instances of a tune file (mk_ask.named) there may be more of them than the budget pays for. A step waits for all
 * its results; a configuration that comes again has the results that it has; what is left of the budget goes to the
 * elites on further instances, and, where they have run on all, to single configurations, each of which takes the place
 * of the worst elite if it is better. After B evaluations it continues with its elites.
 *
 * An evaluation is one fold; results so far are kept, so it costs 1 / instances. Its reward is the mean over the folds
 * so far, or that on the last fold alone (mk_ask.by_instance). reading: printed has the weights of Nguyen 2024,
 * eq. 3.6, which favour the best less than irace, and the N_j of its Algorithm 4. Cost per ask O(d), at the end of a
 * fold O(N instances); memory 8 (d + instances) bytes per configuration of a race. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/search/models/race_test.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/optimizers/parts/race_model.h"
#include "sim/search/plan/race.h"

enum { FOLDS, FIRST, EACH, ALPHA, BUDGET, READING, ROUND, PARAMS };
enum { MOST = 1024, MOST_ELITES = 16, ELITIST_LIMIT = 2, MOST_DRAWS = 50, MOST_EMPTY_RACES = 4 };

static const struct mk_param params[] = {
    {"instances", MK_INTEGER, 0, 10, 1, 1000, NULL, "instances (folds) of a whole evaluation"},
    {"first", MK_INTEGER, 0, 5, 2, 1000, NULL, "instances before the first test"},
    {"each", MK_INTEGER, 0, 1, 1, 1000, NULL, "instances between tests"},
    {"alpha", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0.05, 0, 1, NULL, "level of the tests"},
    {"B", MK_INTEGER, MK_OPTIONAL, 0, 1, 1e9, NULL,
     "budget that races are planned for, in evaluations on one instance; once it is spent, irace begins again; if "
     "absent, all evaluations"},
    {"reading", MK_CHOICE, 0, MK_READING_SOURCE, 0, 0, MK_READING_CHOICES,
     "irace's rules, or numbers and weights as printed in Nguyen 2024"},
    {"round", MK_CHOICE, 0, 1, 0, 0, "no|yes",
     "whether real numbers are rounded to four decimals where their range has no more (irace: digits)"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct candidate {
    uint64_t folds; /* evaluated */
    uint64_t safe;  /* elites: folds evaluated before the race */
    double mean;    /* of them */
    size_t parent;  /* elite that its model comes from */
    bool alive;
};

/* Plain data; arrays follow: candidates, configurations, rewards by fold, models of elites. */
struct racing {
    unsigned races, j;
    uint64_t used, used_by_race, budget; /* pulls in all, of this race; B_j */
    size_t n, elites, most;              /* configurations of the race; the first of them are elites; room */
    uint64_t fold, old;                  /* present fold, from 1; folds of the races before */
    size_t quiet;                        /* tests in a row that eliminated nothing */
    uint64_t first, asked, count;        /* trials of the present fold */
    size_t next;                         /* candidate from which the next one for this fold is sought */
    bool racing;
    bool further;  /* of named instances: no race of new configurations, but the elites on further instances */
    size_t length; /* of a model */
};

struct view {
    struct racing *r;
    struct candidate *c; /* [most] */
    double *v;           /* [most][d] */
    double *y;           /* [most][folds] */
    double *model;       /* [2][MOST_ELITES][length]: of the elites; of the next ones */
    size_t d, folds;
};

/* Pulls that the races are planned for. */
static uint64_t planned(const double *par, uint64_t budget)
{
    return par[BUDGET] < (double)budget ? (uint64_t)par[BUDGET] : budget;
}

static bool plans(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)space;
    return planned(par, budget) == budget;
}

static size_t room(const double *par, uint64_t budget)
{
    const uint64_t all = planned(par, budget);
    const size_t most = all < MOST ? (size_t)all : MOST;
    return most > MOST_ELITES + 1 ? most : MOST_ELITES + 1;
}

static struct view open_state(void *state, const struct mk_ask *a)
{
    struct view w = {.r = state, .d = a->space->n, .folds = (size_t)a->par[FOLDS]};
    const size_t most = room(a->par, a->budget);
    w.c = (struct candidate *)(w.r + 1);
    w.v = (double *)(w.c + most);
    w.y = w.v + most * w.d;
    w.model = w.y + most * w.folds;
    return w;
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    const size_t most = room(par, budget), numbers = space->n + (size_t)par[FOLDS];
    return sizeof(struct racing) + most * (sizeof(struct candidate) + numbers * sizeof(double)) +
           2 * MOST_ELITES * mk_race_model_length(space) * sizeof(double);
}

static double *model_of(const struct view *w, int set, size_t elite)
{
    return w->model + ((size_t)set * MOST_ELITES + elite) * w->r->length;
}

static size_t survivors(const struct mk_ask *a)
{
    return mk_race_count(mk_race_model_variables(a->space));
}

/* The budget of irace's manual for so many races. */
static double least_budget(const struct mk_ask *a, unsigned races)
{
    return (double)(survivors(a) + 1) * races * (a->par[FIRST] + a->par[EACH] * races);
}

static int init_irace(void *state, const struct mk_ask *a, struct mk_error *err)
{
    struct racing *r = state;
    (void)err;
    *r = (struct racing){.j = 1, .most = room(a->par, a->budget), .length = mk_race_model_length(a->space)};
    r->races = (unsigned)survivors(a);
    while (r->races > 1 && (double)planned(a->par, a->budget) < least_budget(a, r->races)) r->races--;
    return MK_OK;
}

/* ---- the configurations of a race ---- */

static size_t draw_parent(const struct view *w, const struct mk_ask *a, struct mk_pcg64 *rng)
{
    const enum mk_reading reading = (enum mk_reading)a->par[READING];
    double all = 0, sum = 0;
    for (size_t e = 1; e <= w->r->elites; e++) all += mk_race_weight(reading, w->r->elites, e);
    const double u = mk_uniform(rng) * all;
    size_t e = 0;
    for (; e + 1 < w->r->elites; e++) {
        sum += mk_race_weight(reading, w->r->elites, e + 1);
        if (u < sum) break;
    }
    return e;
}

/* One of those to be tried first; otherwise near an elite, if `near` and there are any, or anywhere. */
static void draw_one(struct view *w, struct mk_ask *a, size_t i, bool near)
{
    struct racing *r = w->r;
    const size_t parent = r->elites ? draw_parent(w, a, &a->rng) : 0;
    double *v = w->v + i * w->d, exact[MK_SPACE_MOST];
    w->c[i] = (struct candidate){.parent = parent, .alive = true};
    if (mk_take_first(a, v)) return;
    if (near && r->elites && !a->space->n_rows)
        mk_race_model_sample(a->space, model_of(w, 0, parent), &a->rng, v);
    else
        mk_space_sample(a->space, &a->rng, v);
    if (a->par[ROUND] == 0 || a->space->n_rows) return;
    memcpy(exact, v, w->d * sizeof *v);
    mk_race_round(a->space, v);
    if (!mk_space_allows(a->space, v)) memcpy(v, exact, w->d * sizeof *v);
}

/* Whether configuration i is one of those before it in the race. */
static bool is_twin(const struct view *w, const struct mk_ask *a, size_t i)
{
    const uint64_t digest = mk_space_configuration_digest(a->space, w->v + i * w->d);
    for (size_t k = 0; k < i; k++)
        if (mk_space_configuration_digest(a->space, w->v + k * w->d) == digest) return true;
    return false;
}

/* Gives configuration i the results that it has from earlier races; returns whether it has been run before. One that
 * has failed there is out of the race. */
static bool recall(struct view *w, const struct mk_ask *a, size_t i)
{
    const struct mk_trials *t = a->trials;
    const uint64_t digest = mk_space_configuration_digest(a->space, w->v + i * w->d);
    struct candidate *c = &w->c[i];
    bool any = false;
    for (size_t trial = 0; trial < t->told; trial++) {
        if (t->digest[trial] != digest) continue;
        any = true;
        const size_t fold = (size_t)round(t->fidelity[trial] * (double)w->folds);
        if (t->status[trial] != MK_TRIAL_OK) c->alive = false;
        if (!c->alive || fold != c->folds + 1) continue;
        w->y[i * w->folds + c->folds] = t->reward[trial];
        c->mean = ((double)c->folds * c->mean + t->reward[trial]) / (double)fold;
        c->folds++;
    }
    return any;
}

/* No configuration is twice in a race, and none runs again on an instance: it is drawn again, or has the results that
 * it has. */
static void draw_distinct(struct view *w, struct mk_ask *a)
{
    struct racing *r = w->r;
    size_t n = r->elites;
    for (size_t e = 0; e < r->elites; e++) recall(w, a, e);
    for (size_t i = r->elites; i < r->n; i++) {
        bool twin = true, old = true;
        for (int draws = 0; draws < MOST_DRAWS && (twin || old); draws++) {
            draw_one(w, a, n, 2 * draws < MOST_DRAWS);
            twin = is_twin(w, a, n);
            old = !twin && recall(w, a, n);
        }
        n += !twin;
    }
    r->n = n;
}

static void draw_new(struct view *w, struct mk_ask *a)
{
    if (a->named) {
        draw_distinct(w, a);
        return;
    }
    for (size_t i = w->r->elites; i < w->r->n; i++) draw_one(w, a, i, true);
}

/* Widens the models of parents whose configurations are alike. Returns whether there are any. */
static bool soft_restart(struct view *w, const struct mk_ask *a, double fresh)
{
    bool widen[MOST_ELITES] = {false}, any = false;
    for (size_t i = 0; i < w->r->n; i++)
        for (size_t k = i + 1; k < w->r->n; k++) {
            if (!mk_race_similar(a->space, w->v + i * w->d, w->v + k * w->d)) continue;
            widen[i < w->r->elites ? i : w->c[i].parent] = any = true;
            widen[k < w->r->elites ? k : w->c[k].parent] = true;
        }
    for (size_t e = 0; e < w->r->elites; e++)
        if (widen[e]) mk_race_model_widen(a->space, model_of(w, 0, e), fresh);
    return any;
}

static void begin_fold(struct view *w, const struct mk_ask *a)
{
    struct racing *r = w->r;
    r->first = a->trials->n;
    r->asked = r->count = 0;
    r->next = 0;
    for (size_t i = 0; i < r->n; i++) r->count += w->c[i].alive && w->c[i].folds < r->fold;
}

/* Whether a configuration of the race has an instance left. */
static bool is_work(const struct view *w)
{
    bool any = false;
    for (size_t i = 0; i < w->r->n; i++) any |= w->c[i].alive && w->c[i].folds < w->folds;
    return any;
}

/* Elites are in places 0 … elites-1 with their models. False: the budget is too small. */
static bool begin_race(struct view *w, struct mk_ask *a)
{
    struct racing *r = w->r;
    const enum mk_reading reading = (enum mk_reading)a->par[READING];
    const uint64_t left = planned(a->par, a->budget) - r->used;
    if (r->j > r->races) r->races = r->j;
    r->budget = mk_race_budget(left, r->races, r->j);
    const struct mk_race_plan plan = {r->j,      r->budget, (uint64_t)a->par[FIRST],       (uint64_t)a->par[EACH],
                                      r->elites, r->old,    r->elites && r->old < w->folds};
    uint64_t n = mk_race_size(reading, &plan);                /* the budget pays for the first folds of so many */
    if (r->j == 1 && n <= survivors(a)) n = survivors(a) + 1; /* a budget too small for irace */
    if (n > r->most) n = r->most;
    if (n <= survivors(a) || n <= r->elites) return false;
    r->n = (size_t)n;
    const double fresh = (double)(r->n - r->elites);
    for (size_t e = 0; e < r->elites; e++)
        mk_race_model_update(a->space, model_of(w, 0, e), w->v + e * w->d, r->j, r->races, fresh);
    const size_t taken = a->taken;
    draw_new(w, a);
    if (r->elites && !a->space->n_rows && soft_restart(w, a, fresh)) {
        r->n = (size_t)n;
        a->taken = taken; /* those to be tried first stay in the race */
        draw_new(w, a);
    }
    if (a->named && (r->n <= r->elites || !is_work(w))) return false; /* a small space: all others are known */
    r->fold = 1;
    r->quiet = 0;
    r->used_by_race = 0;
    r->racing = true;
    r->further = false;
    begin_fold(w, a);
    return true;
}

/* The elites on the instances that they have not seen, where there is too little budget for a race. False: they have
 * seen all. */
static bool begin_further(struct view *w, const struct mk_ask *a)
{
    struct racing *r = w->r;
    r->n = r->elites;
    if (!is_work(w)) return false;
    r->fold = 1;
    r->quiet = 0;
    r->used_by_race = 0;
    r->racing = r->further = true;
    begin_fold(w, a);
    return true;
}

/* ---- results ---- */

/* Results of the fold into the rewards of the configurations, in the order in which they were asked for. A failed one
 * goes; one still running counts as its mean so far, or the worst of the fold. */
static void take_results(struct view *w, const struct mk_ask *a)
{
    struct racing *r = w->r;
    const struct mk_trials *t = a->trials;
    uint64_t trial = r->first;
    double worst = 0;
    for (uint64_t i = r->first; i < r->first + r->asked; i++)
        if (i < t->told && t->status[i] == MK_TRIAL_OK) worst = fmin(worst, t->reward[i]);
    for (size_t i = 0; i < r->n; i++) {
        struct candidate *c = &w->c[i];
        if (!c->alive || c->folds >= r->fold) continue;
        const bool told = trial < t->told;
        const double before = (double)c->folds;
        if (told && t->status[trial] != MK_TRIAL_OK) c->alive = false;
        const bool known = told && c->alive;
        double mean = known ? t->reward[trial] : c->folds ? c->mean : worst, y = (before + 1) * mean - before * c->mean;
        if (a->by_instance) {
            y = mean;
            mean = (before * c->mean + y) / (before + 1);
        }
        w->y[i * w->folds + c->folds] = y;
        c->mean = mean;
        c->folds++;
        trial++;
    }
}

static size_t count_alive(const struct view *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->r->n; i++) n += w->c[i].alive;
    return n;
}

static bool is_safe(const struct view *w, size_t i)
{
    return i < w->r->elites && w->r->fold <= w->c[i].safe;
}

/* The test on the folds so far. */
static int eliminate(struct view *w, const struct mk_ask *a, struct mk_error *err)
{
    struct racing *r = w->r;
    const size_t n = (size_t)r->fold, k = count_alive(w);
    double *y = malloc((n * k + k) * sizeof *y);
    bool *stays = malloc(k * sizeof *stays);
    void *scratch = malloc(mk_race_test_bytes(n, k));
    int code = y && stays && scratch ? MK_OK : mk_fail_memory(err, "irace");
    for (size_t i = 0, at = 0; !code && i < r->n; i++) {
        if (!w->c[i].alive) continue;
        for (size_t f = 0; f < n; f++) y[f * k + at] = w->y[i * w->folds + f];
        at++;
    }
    if (!code) mk_race_test(scratch, y, n, k, a->par[ALPHA], y + n * k, stays);
    for (size_t i = 0, at = 0; !code && i < r->n; i++)
        if (w->c[i].alive) w->c[i].alive = stays[at++] || is_safe(w, i);
    free(y);
    free(stays);
    free(scratch);
    return code;
}

/* Whether the race is over before its next fold. */
static bool race_is_over(const struct view *w, const struct mk_ask *a)
{
    const struct racing *r = w->r;
    const uint64_t each = (uint64_t)a->par[EACH];
    const bool all_seen = r->fold > r->old;
    const size_t alive = count_alive(w);
    if (r->fold > w->folds || alive == 0) return true;
    if (!all_seen || r->further) return false;
    if (r->quiet >= ELITIST_LIMIT) return true;
    if (r->fold <= (uint64_t)a->par[FIRST]) return false;
    return alive <= survivors(a) || ((r->fold - 1) % each == 0 && r->used_by_race + r->count * each > r->budget);
}

/* ---- the end of a race ---- */

struct standing {
    size_t at;
    uint64_t folds;
    double sum; /* of ranks among those with as many folds */
};

static int by_standing(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    if (x->folds != y->folds) return x->folds > y->folds ? -1 : 1;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Sums of ranks over the folds, of the configurations with equally many. */
static double rank_sum(const struct view *w, const struct standing *s, size_t n, size_t at)
{
    double sum = 0;
    for (uint64_t f = 0; f < s[at].folds; f++)
        for (size_t i = 0; i < n; i++) {
            if (s[i].folds != s[at].folds) continue;
            const double x = w->y[s[i].at * w->folds + f], own = w->y[s[at].at * w->folds + f];
            sum += x > own ? 1 : x == own ? 0.5 : 0;
        }
    return sum;
}

static void move_elites(struct view *w, const struct mk_ask *a, const struct standing *s, size_t n, double *spare)
{
    struct racing *r = w->r;
    const size_t of_one = w->d + w->folds, most = survivors(a) < MOST_ELITES ? survivors(a) : MOST_ELITES;
    struct candidate kept[MOST_ELITES];
    size_t count = 0;
    for (size_t i = 0; i < n && count < most; i++) {
        const double *v = w->v + s[i].at * w->d;
        bool twin = false;
        for (size_t e = 0; e < count; e++)
            twin |= mk_space_configuration_digest(a->space, spare + e * of_one) ==
                    mk_space_configuration_digest(a->space, v);
        if (twin) continue;
        memcpy(spare + count * of_one, v, w->d * sizeof *v);
        memcpy(spare + count * of_one + w->d, w->y + s[i].at * w->folds, w->folds * sizeof *v);
        const size_t own = s[i].at < r->elites ? s[i].at : w->c[s[i].at].parent;
        if (r->j == 1)
            mk_race_model_start(a->space, model_of(w, 1, count));
        else
            memcpy(model_of(w, 1, count), model_of(w, 0, own), r->length * sizeof *w->model);
        kept[count++] = w->c[s[i].at];
    }
    for (size_t e = 0; e < count; e++) {
        w->c[e] = kept[e];
        w->c[e].safe = kept[e].folds;
        memcpy(w->v + e * w->d, spare + e * of_one, w->d * sizeof *spare);
        memcpy(w->y + e * w->folds, spare + e * of_one + w->d, w->folds * sizeof *spare);
        r->old = w->c[e].folds > r->old ? w->c[e].folds : r->old;
    }
    memcpy(w->model, model_of(w, 1, 0), MOST_ELITES * r->length * sizeof *w->model);
    r->elites = r->n = count;
}

static int end_race(struct view *w, const struct mk_ask *a, struct mk_error *err)
{
    struct racing *r = w->r;
    struct standing *s = malloc((r->n + 1) * sizeof *s);
    double *spare = malloc(MOST_ELITES * (w->d + w->folds) * sizeof *spare);
    size_t n = 0;
    int code = s && spare ? MK_OK : mk_fail_memory(err, "irace");
    for (size_t i = 0; !code && i < r->n; i++) {
        if (a->named && w->c[i].folds >= r->fold) w->c[i].folds = r->fold - 1; /* of earlier races: recalled again */
        if (w->c[i].alive) s[n++] = (struct standing){i, w->c[i].folds, 0};
    }
    for (size_t i = 0; !code && i < n; i++) s[i].sum = rank_sum(w, s, n, i);
    if (!code) {
        qsort(s, n, sizeof *s, by_standing);
        move_elites(w, a, s, n, spare);
        r->j++;
        r->racing = false;
    }
    free(s);
    free(spare);
    return code;
}

/* ---- asking ---- */

/* After the last evaluation of a fold: results, test, next fold. */
static int end_fold(struct view *w, const struct mk_ask *a, struct mk_error *err)
{
    struct racing *r = w->r;
    const uint64_t each = (uint64_t)a->par[EACH];
    int code = MK_OK;
    do {
        const bool is_new = r->count > 0;
        const size_t before = count_alive(w);
        take_results(w, a);
        const bool tests = is_new && r->fold >= (uint64_t)a->par[FIRST] && r->fold % each == 0;
        if (tests && count_alive(w) > 1) code = eliminate(w, a, err);
        if (tests && r->fold > (uint64_t)a->par[FIRST] && r->fold >= r->old)
            r->quiet = count_alive(w) == before ? r->quiet + 1 : 0;
        r->fold++;
        begin_fold(w, a);
        if (code || race_is_over(w, a)) return code ? code : end_race(w, a, err);
    } while (r->count == 0);
    return MK_OK;
}

/* A single configuration on all folds, when there is too little budget for a race. */
static void begin_single(struct view *w, struct mk_ask *a)
{
    struct racing *r = w->r;
    r->n = r->elites + 1;
    for (size_t e = 0; e < r->elites; e++) w->c[e].alive = false;
    draw_new(w, a);
    r->fold = 1;
    begin_fold(w, a);
}

/* ---- asking on named instances ---- */

/* The next fold of a single configuration that it has not run on; false: it has failed, or there is none. */
static bool next_of_single(struct view *w, const struct mk_ask *a)
{
    struct racing *r = w->r;
    const struct candidate *c = &w->c[r->elites];
    while (r->asked == r->count && c->alive && r->fold <= w->folds) {
        take_results(w, a);
        r->fold++;
        begin_fold(w, a);
    }
    return c->alive && r->fold <= w->folds;
}

/* A single configuration that has run on all folds takes the place of the worst elite, if it is better. */
static void keep_single(struct view *w, const struct mk_ask *a)
{
    struct racing *r = w->r;
    const size_t own = r->elites, most = survivors(a) < MOST_ELITES ? survivors(a) : MOST_ELITES;
    size_t to = 0;
    r->n = r->elites;
    if (!w->c[own].alive || w->c[own].folds < w->folds) return;
    for (size_t e = 1; e < r->elites; e++)
        if (w->c[e].mean < w->c[to].mean) to = e;
    if (r->elites < most)
        to = r->elites;
    else if (!(w->c[own].mean > w->c[to].mean))
        return;
    if (r->elites)
        memcpy(model_of(w, 0, to), model_of(w, 0, w->c[own].parent), r->length * sizeof *w->model);
    else
        mk_race_model_start(a->space, model_of(w, 0, to));
    w->c[to] = w->c[own];
    w->c[to].safe = w->c[to].folds;
    memmove(w->v + to * w->d, w->v + own * w->d, w->d * sizeof *w->v);
    memmove(w->y + to * w->folds, w->y + own * w->folds, w->folds * sizeof *w->y);
    r->elites = r->n = to == r->elites ? r->elites + 1 : r->elites;
    r->old = w->folds;
}

/* A configuration on all folds, when all elites have run on all of them: one that has not, or else any again. */
static void begin_single_named(struct view *w, struct mk_ask *a)
{
    struct racing *r = w->r;
    bool found = false;
    r->n = r->elites + 1;
    for (int draws = 0; draws < 4 * MOST_DRAWS && !found; draws++) {
        draw_one(w, a, r->elites, draws < MOST_DRAWS);
        if (is_twin(w, a, r->elites)) continue;
        recall(w, a, r->elites);
        found = w->c[r->elites].alive && w->c[r->elites].folds < w->folds;
    }
    if (!found) draw_one(w, a, r->elites, false);
    r->fold = 1;
    begin_fold(w, a);
    next_of_single(w, a);
}

static int prepare_named(struct view *w, struct mk_ask *a, struct mk_error *err)
{
    struct racing *r = w->r;
    int code = MK_OK, races = 0;
    if (!r->racing && r->n > r->elites) {
        if (next_of_single(w, a)) return MK_OK;
        keep_single(w, a);
    }
    while (!code && !(r->racing && r->asked < r->count)) {
        if (r->racing)
            code = end_fold(w, a, err);
        else if (!(races++ < MOST_EMPTY_RACES && begin_race(w, a)) && !begin_further(w, a)) {
            begin_single_named(w, a);
            return MK_OK;
        }
    }
    return code;
}

static int prepare(struct view *w, struct mk_ask *a, struct mk_error *err)
{
    struct racing *r = w->r;
    int code = MK_OK;
    if (a->named) return prepare_named(w, a, err);
    if (r->racing && r->asked == r->count) code = end_fold(w, a, err);
    if (code || r->racing) return code;
    const bool single = r->n > r->elites && r->asked == r->count && r->fold < w->folds;
    if (single) {
        take_results(w, a);
        w->c[r->elites].alive = true; /* it is the only one */
        r->fold++;
        begin_fold(w, a);
    } else if (r->n <= r->elites ? !begin_race(w, a) : r->asked == r->count)
        begin_single(w, a);
    return MK_OK;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct view w = open_state(state, a);
    struct racing *r = w.r;
    const bool spent = r->used == planned(a->par, a->budget);
    if (spent && a->named) r->used = 0; /* it continues with its elites */
    int code = spent && !a->named ? init_irace(state, a, err) : MK_OK;
    if (!code) code = prepare(&w, a, err);
    if (code) return code;
    while (!w.c[r->next].alive || w.c[r->next].folds >= r->fold) r->next++;
    memcpy(v, w.v + r->next++ * w.d, w.d * sizeof *v);
    *fidelity = (double)r->fold / (double)w.folds;
    a->paid = (double)(r->fold - 1) / (double)w.folds;
    r->asked++;
    r->used++;
    r->used_by_race++;
    return MK_OK;
}

static bool waits(const void *state, const struct mk_ask *a)
{
    const struct racing *r = state;
    (void)a;
    return r->asked == r->count;
}

static size_t depth(const void *state, const struct mk_ask *a)
{
    const struct racing *r = state;
    const size_t last = r->racing ? (size_t)r->fold - (r->asked < r->count) : 0;
    (void)a;
    return last > r->old ? last : (size_t)r->old;
}

/* Adaptive capping (Pérez Cáceres, López-Ibáñez, Hoos & Stützle 2017): with its results so far a new configuration must
 * not be worse in the mean than the median of the elites on the same folds. */
static double allowance(const void *state, const struct mk_ask *a)
{
    const struct view w = open_state((void *)state, a);
    const struct racing *r = w.r;
    const size_t at = r->next - 1, e = r->elites;
    double mean[MOST_ELITES] = {0}, own = 0;
    if (!r->racing || at < e || !e || r->fold > r->old) return NAN;
    for (size_t i = 0; i < e; i++)
        for (size_t f = 0; f < r->fold; f++) mean[i] += w.y[i * w.folds + f] / (double)r->fold;
    for (size_t f = 0; f + 1 < r->fold; f++) own += w.y[at * w.folds + f];
    mk_sort_values(mean, e);
    const double median = (mean[(e - 1) / 2] + mean[e / 2]) / 2;
    return median * (double)r->fold - own;
}

static bool survives(const void *state, const struct mk_ask *a, uint64_t digest)
{
    const struct view w = open_state((void *)state, a);
    for (size_t i = 0; i < w.r->n; i++)
        if (w.c[i].alive && mk_space_configuration_digest(a->space, w.v + i * w.d) == digest) return true;
    return false;
}

const struct mk_optimizer_type mk_optimizer_irace = {
    .name = "irace",
    .summary = "iterated racing on folds, with Friedman's and Conover's tests",
    .formula =
        "floor(2 + log_2 d) races; in each, configurations near elites of the race before are evaluated fold by "
        "fold, and those that a test finds worse than the best go; of a discrete space one may be proposed again; "
        "in a study a trial is on one instance alone, number fidelity * instances, and its value is the cost on that one",
    .reference = "López-Ibáñez et al. 2016, irace 3.5; Nguyen 2024, Algorithm 4 and eq. 3.6 (reading: printed)",
    .departures =
        "folds have one order, so that a race ends with the new one instead of beginning with it; with too "
        "small a budget there are fewer races, and what is left over goes to single configurations; measured "
        "configurations are drawn at random; real numbers whose range has more than four decimals, which irace does "
        "not accept, are not rounded",
    .cost = "O(d), O(N instances) at the end of a fold",
    .flags = MK_OPTIMIZER_FIDELITY | MK_OPTIMIZER_INSTANCES,
    .params = params,
    .plans = plans,
    .state_size = state_size,
    .init = init_irace,
    .ask = ask,
    .waits = waits,
    .depth = depth,
    .allowance = allowance,
    .survives = survives,
};
