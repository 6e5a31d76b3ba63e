// A program of one rank, where nobody calls mpirun.
#include "stiefel/world/mpi/mpi_ranks.hpp"

#include <iostream>

int main() {
    stiefel::MpiRanks ranks;
    double one = 1;
    ranks.all_sum(&one, 1);
    std::cout << "rank " << ranks.rank() << " of " << one << '\n';
}
