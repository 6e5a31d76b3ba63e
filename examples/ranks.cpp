// Solves Poisson's equation on a 2-D grid with the rows dealt out to all processes that mpirun has started:
//   mpirun -np 4 ranks
#include "stiefel/core/backend.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/world/mpi/mpi_ranks.hpp"
#include "stiefel/world/world_operator.hpp"

#include <iostream>
#include <vector>

using namespace stiefel;

/// The rows of the 5-point Laplacian on an n x n grid that a rank holds.
WorldRows<double> laplacian(Size n, const RowBlocks& blocks, int rank) {
    std::vector<Size> ends{0}, columns;
    std::vector<double> values;
    const auto add = [&](bool is_inside, Size column, double value) {
        if (!is_inside) return;
        columns.push_back(column);
        values.push_back(value);
    };
    for (Size i = blocks.first(rank); i < blocks.first(rank + 1); ++i) {
        add(i >= n, i - n, -1);
        add(i % n > 0, i - 1, -1);
        add(true, i, 4);
        add(i % n < n - 1, i + 1, -1);
        add(i < n * (n - 1), i + n, -1);
        ends.push_back(static_cast<Size>(columns.size()));
    }
    const auto copied = []<class T>(const std::vector<T>& from) {
        HostVector<T> to(static_cast<Size>(from.size()));
        std::copy(from.begin(), from.end(), to.begin());
        return to;
    };
    return {copied(ends), copied(columns), copied(values)};
}

int main() {
    MpiRanks ranks;
    OpenMP backend;
    backend.join(ranks);  // sums end over all ranks from now on

    const Size n = 300;
    const RowBlocks blocks = RowBlocks::even(n * n, ranks.size());
    const auto a = make_world_operator(backend, ranks, blocks, laplacian(n, blocks, ranks.rank()));

    const HostVector<double> b(a.n_rows(), 1.0);  // each rank its rows
    HostVector<double> x(a.n_rows(), 0.0);
    const SolveResult result = cg(backend, a, b, x, {.rtol = 1e-8});
    if (ranks.rank() == 0) {
        std::cout << blocks.n_rows() << " unknowns on " << ranks.size() << " ranks: " << to_string(result.reason)
                  << " in " << result.iterations << " iterations, |b - A x| / |b| = " << result.relative_residual
                  << '\n';
    }
    return result.reason == StopReason::converged ? 0 : 1;
}
