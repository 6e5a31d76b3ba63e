// CHOLMOD's supernodal Cholesky factorisation, in the better of its orderings:  peer_cholmod A.mtx
#include "bench/peers/system.hpp"

#include <cholmod.h>

#include <algorithm>
#include <iostream>

int main(int, char** argv) try {
    constexpr double most_nonzeros = 4e8;  // of the factor, in doubles: 3.2 GB
    const stiefel::bench::System system(argv[1]);
    const auto n = static_cast<std::size_t>(system.a.n_rows);
    cholmod_common c;
    cholmod_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    c.print = 0;
    // One triangle: the rows of the upper one are the columns of the lower one.
    cholmod_sparse* const a =
        cholmod_allocate_sparse(n, n, static_cast<std::size_t>(system.a.nnz()), 1, 1, -1, CHOLMOD_REAL, &c);
    auto* const starts = static_cast<int*>(a->p);
    auto* const rows = static_cast<int*>(a->i);
    auto* const values = static_cast<double*>(a->x);
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        starts[i] = count;
        for (int k = system.row_ptr()[i]; k < system.row_ptr()[i + 1]; ++k) {
            if (system.a.col_idx[k] < static_cast<int>(i)) continue;
            rows[count] = system.a.col_idx[k];
            values[count++] = system.a.values[k];
        }
    }
    starts[n] = count;
    stiefel::Stopwatch watch;
    cholmod_factor* l = cholmod_analyze(a, &c);
    if (c.lnz > most_nonzeros) throw stiefel::Error("the factor would be too large");
    cholmod_factorize(a, l, &c);
    const double setup = watch.restart();
    cholmod_dense* b = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &c);
    std::copy(system.b.begin(), system.b.end(), static_cast<double*>(b->x));
    watch.restart();
    cholmod_dense* const x = cholmod_solve(CHOLMOD_A, l, b, &c);
    const double solve = watch.seconds();
    if (c.status != CHOLMOD_OK || x == nullptr) throw stiefel::Error("the factorisation failed");
    stiefel::bench::print_result(setup, solve, 0, system.residual(static_cast<double*>(x->x)));
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
