#include "sim/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

size_t mk_terminal_width(FILE *stream)
{
    struct winsize size;
    const int fd = fileno(stream); /* -1 of a stream in memory */
    if (fd < 0 || !isatty(fd)) return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}
