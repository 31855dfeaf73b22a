/* Replaces GSL's function of this name, which reads stderr in a way that a shared library cannot (libgslcblas.a is not
 * position-independent), prints and aborts. It is called when a CBLAS function gets sizes that do not fit together; GSL
 * has checked them before. */
#include <gsl/gsl_cblas.h>

void cblas_xerbla(int p, const char *rout, const char *form, ...)
{
    (void)p;
    (void)rout;
    (void)form;
    __builtin_trap();
}
