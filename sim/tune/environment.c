#include "sim/tune/environment.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OURS = 7 }; /* variables at most */

/* Whether a variable of maxk's environment is handed on as it is. With LC_ALL no other variable of the locale counts.
 */
static bool is_inherited(const char *variable, const char *lc_all)
{
    if (strncmp(variable, "MAXK_", 5) == 0 || strncmp(variable, "LC_NUMERIC=", 11) == 0) return false;
    return !lc_all || (strncmp(variable, "LC_", 3) != 0 && strncmp(variable, "LANG=", 5) != 0);
}

static bool __attribute__((format(printf, 3, 4))) add(char **e, size_t *n, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const bool good = vasprintf(&e[*n], format, ap) >= 0;
    va_end(ap);
    if (!good) e[*n] = NULL;
    *n += good;
    return good;
}

char **mk_environment_new(const struct mk_trial_words *trial)
{
    const char *all = getenv("LC_ALL"), *lc_all = all && *all ? all : NULL;
    size_t n = 0, to = 0;
    while (environ[n]) n++;
    char **e = calloc(n + OURS + 1, sizeof *e);
    bool good = e && add(e, &to, "LC_NUMERIC=C") && (!lc_all || add(e, &to, "LANG=%s", lc_all));
    if (good && trial)
        good = add(e, &to, "MAXK_TRIAL=%zu", trial->trial) && add(e, &to, "MAXK_ARM=%s", trial->arm) &&
               add(e, &to, "MAXK_SEED=%" PRIu64, trial->seed) && add(e, &to, "MAXK_CONFIG=%s", trial->config) &&
               add(e, &to, "MAXK_DIRECTORY=%s", trial->directory);
    for (size_t i = 0; i < n && good; i++)
        if (is_inherited(environ[i], lc_all)) good = add(e, &to, "%s", environ[i]);
    if (good) return e;
    mk_environment_free(e);
    return NULL;
}

void mk_environment_free(char **environment)
{
    for (size_t i = 0; environment && environment[i]; i++) free(environment[i]);
    free(environment);
}
