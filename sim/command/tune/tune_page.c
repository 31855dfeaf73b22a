#include "sim/command/tune/tune_page.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/page/result_page.h"
#include "analysis/results/study_files.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/progress.h"
#include "sim/study/tune_result.h"

/* Seconds between pages: at least so many, and so many times what writing the results takes. */
static const double every = 3, rest = 50;

int mk_tune_page_begin(struct mk_tune_page *p, const char *out, const char *result, struct mk_error *err)
{
    *p = (struct mk_tune_page){.out = out, .of = result};
    if (!out) return MK_OK;
    p->folder = mk_trials_path(result, ".trials/page");
    if (!p->folder || asprintf(&p->result, "%s/results.h5", p->folder) < 0) return mk_fail_memory(err, "a file name");
    struct mk_atomic_file place;
    int code = mk_atomic_file_begin(&place, out, err); /* said before the first trial */
    if (!code) mk_atomic_file_drop(&place);
    return code;
}

/* Starts `maxk report` in a process group of its own: Ctrl-C lets it finish. */
static int start(struct mk_tune_page *p, const char *title)
{
    char *const argv[] = {"maxk",    "report",      p->result,  "-o", (char *)p->out,
                          "--title", (char *)title, "--reload", "5",  NULL};
    posix_spawn_file_actions_t to;
    posix_spawnattr_t how;
    int code = posix_spawn_file_actions_init(&to);
    if (code) return code;
    code = posix_spawnattr_init(&how);
    if (!code) {
        code = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
        for (int i = 0; i < 3 && !code; i++) code = posix_spawn_file_actions_addopen(&to, i, "/dev/null", O_RDWR, 0);
        if (!code) code = posix_spawn(&p->maker, "/proc/self/exe", &to, &how, argv, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&to);
    if (code) p->maker = 0;
    return code;
}

static int write_results(struct mk_tune_page *p, const struct mk_tune_view *v, bool *any, struct mk_error *err)
{
    struct mk_tune_state *results = NULL;
    const struct mk_volatile of_run = {"maxk tune", (int)v->t->workers, v->elapsed};
    int code = mk_tune_state_results(&results, v->state, err);
    *any = !code && mk_tune_state_best(results) != SIZE_MAX;
    if (*any) code = mk_make_folder(p->folder, err);
    if (*any && !code) code = mk_tune_write_copy(v->t, results, p->of, p->result, &of_run, err);
    mk_tune_state_free(results);
    return code;
}

static bool is_busy(struct mk_tune_page *p)
{
    if (p->maker && waitpid(p->maker, NULL, WNOHANG) == 0) return true;
    p->maker = 0;
    return false;
}

void mk_tune_page_show(struct mk_tune_page *p, const struct mk_tune_view *v)
{
    const double now = mk_seconds();
    struct mk_error err = {0, ""};
    char title[256];
    bool any = false;
    if (!p->out || p->failed || now < p->due || is_busy(p)) return;
    int code = write_results(p, v, &any, &err);
    snprintf(title, sizeof title, "%.100s: running, %zu of %zu trials, %.0f s", v->t->name, v->ended, v->all,
             v->elapsed);
    const int spawned = any && !code ? start(p, title) : 0;
    if (spawned) code = mk_fail(&err, MK_EFAIL, "maxk report cannot be started: %s", strerror(spawned));
    p->failed = code != MK_OK;
    if (code) fprintf(stderr, "%s: not written while the run lasts: %s\n", p->out, err.text);
    p->due = now + fmax(every, rest * (mk_seconds() - now));
}

void mk_tune_page_end(struct mk_tune_page *p)
{
    static const char *const ending[] = {".h5", ".csv", ".times.csv", ".best.yaml", ".tune.yaml", ".reevaluations.csv"};
    while (p->maker && waitpid(p->maker, NULL, 0) < 0 && errno == EINTR) continue;
    for (size_t i = 0; p->result && i < sizeof ending / sizeof *ending; i++) {
        char *path = mk_trials_path(p->result, ending[i]);
        if (path) unlink(path);
        free(path);
    }
    if (p->folder) rmdir(p->folder);
    free(p->result);
    free(p->folder);
    p->result = p->folder = NULL;
    p->maker = 0;
}

int mk_tune_page_write(const struct mk_tune_page *p, struct mk_error *err)
{
    const struct mk_result_page page = {.path = &p->of, .n = 1};
    size_t pictures;
    return p->out ? mk_result_page_write(&page, p->out, &pictures, err) : MK_OK;
}
