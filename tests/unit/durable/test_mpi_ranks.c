/* Ranks of a program without MPI: there is one, it agrees with itself, and under mpirun one line says that there could
 * be more. Several ranks are tests/command/test_mpi.sh. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/run/durable/mpi_ranks.h"
#include "tests/support/check.h"

static void never(int code, const struct mk_error *err)
{
    (void)err;
    CHECK(0, "called with code %d", code);
}

static void without_launcher(void)
{
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMIX_RANK");
    unsetenv("PMI_SIZE");
}

int main(void)
{
    struct mk_error err = {0, ""};
    struct mk_mpi r;
    without_launcher();
    memset(&r, 0xff, sizeof r);
    CHECK(mk_mpi_start(&r, &err) == MK_OK && r.rank == 0 && r.count == 1 && r.here == 1 && !r.over,
          "one rank, number 0");
    CHECK(mk_mpi_agree(&r, MK_OK, &err) == MK_OK, "it agrees that all is well");
    mk_fail(&err, MK_EINPUT, "what went wrong");
    CHECK(mk_mpi_agree(&r, MK_EINPUT, &err) == MK_EINPUT && strcmp(err.text, "what went wrong") == 0,
          "and with its own failure, in its own words");
    uint64_t value[3] = {1, 2, 3};
    mk_mpi_share(&r, value, 3);
    CHECK(value[0] == 1 && value[1] == 2 && value[2] == 3, "sharing changes nothing");
    CHECK(mk_mpi_receive(&r, 1, NULL, NULL, &err) == MK_EFAIL && strstr(err.text, "rank 1"), "nothing comes: %s",
          err.text);
    CHECK(mk_mpi_end(&r, MK_EIO, &err, never) == MK_EIO, "its code is the program's");

    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    CHECK(mk_mpi_start(&r, &err) == MK_EINPUT && strstr(err.text, "MPI=1"), "one of four by mpirun: %s", err.text);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    CHECK(mk_mpi_start(&r, &err) == MK_OK && r.count == 1, "mpirun -n 1 is one rank");
    setenv("OMPI_COMM_WORLD_SIZE", "", 1);
    CHECK(mk_mpi_start(&r, &err) == MK_OK && r.count == 1, "a variable without a number is no launcher");
    without_launcher();
    return CHECK_EXIT;
}
