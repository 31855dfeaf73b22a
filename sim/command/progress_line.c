#include "sim/command/progress_line.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns of the terminal; 80 if unknown. */
static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static const char *rate(double per_second, char text[32])
{
    snprintf(text, 32, per_second < 1e5 ? "%.3g" : "%.1f M", per_second < 1e5 ? per_second : 1e-6 * per_second);
    return text;
}

/* A line as wide as the terminal would wrap, and the next one not overwrite it. */
static void write_line(void *context, const struct mk_progress *p)
{
    const struct mk_progress_line *line = context;
    const double passed = mk_seconds() - p->start, done = (double)p->done, fresh = done - (double)p->before;
    const double left = fresh > 0 ? passed * ((double)p->total - done) / fresh : 0;
    char facts[96], speed[32];
    int used =
        snprintf(facts, sizeof facts, "  %5.1f %%  %s %s/s  %d:%02d left", 100 * done / (double)p->total,
                 rate(fresh * line->pulls_per_step / passed, speed), line->what, (int)(left / 60), (int)left % 60);
    int room = terminal_width() - used - 3;
    fprintf(stderr, "\r  %.*s%s\033[K", room > 0 ? room : 0, line->name, facts);
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
