#pragma once

#include <optional>

namespace stiefel::cli {

/// What whoever started this process says of others that it started with it, to work together by MPI.
struct Launch {
    int ranks = 1;
    int rank = 0;
};

/// From the variables that launchers set: Open MPI's mpirun and srun, those of MPICH and Intel MPI (PMI), and any with
/// PMIx under Slurm. One process where there are none. `srun` without an MPI sets none of them: its processes are
/// apart.
Launch launch_of_environment();

/// Where this process is one of several ranks, the program of the same name with "-mpi" behind it, beside this one,
/// takes its place: so a process that is alone has no MPI to load. Returns the exit code where there is no such
/// program: solved as often as there are ranks would be the same system. Nothing in a process that is alone.
std::optional<int> become_rank(char** argv);

}  // namespace stiefel::cli
