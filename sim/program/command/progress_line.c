#include "sim/program/command/progress_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/progress.h"

static const char *rate_text(double per_second, char text[32])
{
    snprintf(text, 32, per_second < 1e5 ? "%.3g" : "%.1f M", per_second < 1e5 ? per_second : 1e-6 * per_second);
    return text;
}

/* At most one column less than the terminal has: a line as wide as it would wrap, and the next one not overwrite it. In
 * narrow ones the rate goes first, then the name. */
static void write_line(void *context, const struct mk_progress *p)
{
    const struct mk_progress_line *line = context;
    const double passed = mk_seconds() - p->start, done = (double)p->done, fresh = done - (double)p->before;
    const double left = fresh > 0 ? passed * ((double)p->total - done) / fresh : 0;
    const int width = (int)mk_terminal_width(stderr) - 1;
    char share[64], speed[32], rate[80] = "", resumed[48] = "";
    snprintf(share, sizeof share, "  %5.1f %%  %d:%02d left", 100 * done / (double)p->total, (int)(left / 60),
             (int)left % 60);
    if (line->pulls_per_step > 0)
        snprintf(rate, sizeof rate, "  %s %s/s", rate_text(fresh * line->pulls_per_step / passed, speed), line->what);
    if (p->before) snprintf(resumed, sizeof resumed, "  %.0f %% resumed", 100 * (double)p->before / (double)p->total);
    int room = width - 2 - (int)strlen(share);
    const bool with_resumed = room >= (int)strlen(resumed);
    if (with_resumed) room -= (int)strlen(resumed);
    const bool with_rate = room >= (int)strlen(rate) + 8;
    if (with_rate) room -= (int)strlen(rate);
    char text[512];
    snprintf(text, sizeof text, "  %.*s%s%s%s", room > 0 ? room : 0, line->name, share, with_rate ? rate : "",
             with_resumed ? resumed : "");
    fprintf(stderr, "\r%.*s\033[K", width > 0 ? width : 0, text);
    fflush(stderr);
}

mk_progress_report *mk_progress_line(void)
{
    return isatty(STDERR_FILENO) ? write_line : NULL;
}

void mk_progress_line_clear(void)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}
