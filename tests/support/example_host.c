/* A program with its own mathematical library and GSL next to libmaxk (tests/project/test_library.sh).
 * usage: example_host EXPERIMENT.yaml RESULT.h5: prints what it finds, one word per line; nothing on standard error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>

#include <maxk.h>

/* The file that a function comes from, without folders. */
static const char *home(void *function)
{
    Dl_info info;
    if (!dladdr(function, &info)) return "nowhere";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

/* ISO C has no conversion from a function to a data pointer; POSIX has this one. */
static void *data_of(double (*function)(double))
{
    void *out;
    memcpy(&out, &function, sizeof out);
    return out;
}

int main(int argc, char **argv)
{
    const char *seed[] = {"seed=2"};
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    if (argc != 3) return 2;
    const struct mk_run_settings into = {.size = sizeof into, .result = argv[2], .threads = 2};
    printf("exp %s\nlog %s\n", home(data_of(exp)), home(data_of(log)));
    printf("gsl_sf_gamma %s\n", home(data_of(gsl_sf_gamma)));
    printf("handler %s\n", gsl_set_error_handler(NULL) ? "changed" : "default");
    printf("mk_version %s\nheader %d.%d.%d\n", mk_version(), MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR,
           MAXK_VERSION_PATCH);
    /* First a run with another seed, so that there is an earlier result to keep. */
    int code = mk_experiment_load(&e, argv[1], seed, 1, &err);
    if (!code) code = mk_run_experiment(NULL, e, &into, &err);
    mk_experiment_free(e);
    e = NULL;
    printf("note '%s'\n", code ? "" : err.text);
    if (!code) code = mk_experiment_load(&e, argv[1], NULL, 0, &err);
    if (!code) code = mk_run_experiment(NULL, e, &into, &err);
    printf("note '%s'\n", err.text);
    mk_experiment_free(e);
    return code != 0;
}
