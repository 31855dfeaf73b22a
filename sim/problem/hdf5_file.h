/* The end of writing an HDF5 file. A file that HDF5 (1.10) cannot close leaves an identifier which points nowhere: who
 * asks for all open files later, as h5py does when it closes one, crashes. So everything is written and synced first,
 * and a file that is not kept is closed without its disk. Identifiers are hid_t. */
#ifndef MAXK_SIM_PROBLEM_HDF5_FILE_H
#define MAXK_SIM_PROBLEM_HDF5_FILE_H

#include <stdint.h>

/* Writes what HDF5 holds of an open file, and syncs it; -1 with errno. To be called before anything of it is closed. */
int mk_hdf5_sync(int64_t file);

/* An open file whose contents do not matter any more: from here on it is memory, and what is open of it and the file
 * itself can be closed. */
void mk_hdf5_abandon(int64_t file);

#endif
