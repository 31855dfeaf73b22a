#include "sim/problem/hdf5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

/* The descriptor of an open file; -1: it has none. */
static int descriptor_of(hid_t file)
{
    void *handle = NULL;
    return file > 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle ? *(const int *)handle : -1;
}

int mk_hdf5_sync(int64_t file)
{
    const int fd = descriptor_of(file);
    if (fd < 0 || H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return -1;
    return fsync(fd);
}

void mk_hdf5_abandon(int64_t file)
{
    const int fd = descriptor_of(file), memory = fd < 0 ? -1 : memfd_create("abandoned", MFD_CLOEXEC);
    if (memory < 0) return;
    dup3(memory, fd, O_CLOEXEC);
    close(memory);
}
