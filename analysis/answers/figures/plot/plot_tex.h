/* Text as LaTeX. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_TEX_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_TEX_H

#include <stddef.h>
#include <stdio.h>

/* Writes UTF-8 text so that LaTeX sets it as it is, in text mode and without apostrophes or brackets: characters with
 * a meaning in LaTeX as commands; Greek letters, signs of mathematics, raised and lowered digits, powers of ten and
 * texts that are a number as formulas. Other letters stay in UTF-8. */
void mk_tex_write(FILE *to, const char *text, size_t bytes);

#endif
