// Solves one system for eight right-hand sides at once, and one after another, and checks both.
#include "stiefel/core/backend.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <cmath>
#include <iostream>

int main() {
    using namespace stiefel;
    OpenMP backend;
    constexpr Index k = 8;

    const HostCsr<double> a = poisson3d<double>(backend, 30, 30, 30);
    auto b = make_multivector<double>(backend, a.n_rows, k);  // row i of all right-hand sides lies together
    auto x = make_multivector<double>(backend, a.n_rows, k);  // zeros: the guesses
    for (Size e = 0; e < b.values().size(); ++e) b.values()[e] = std::sin(1.0 + static_cast<double>(e * e % 1000));

    const BlockSolveResult result = block_cg(backend, a, b, x, {.rtol = 1e-10});
    std::cout << k << " right-hand sides together: " << to_string(result.reason) << " in " << result.iterations
              << " iterations, each of them one product with A\n";

    Size products = 0;
    bool converged = result.reason == StopReason::converged;
    for (Index j = 0; j < k; ++j) {
        HostVector<double> column(a.n_rows);
        HostVector<double> y(a.n_rows, 0.0);
        for (Index i = 0; i < a.n_rows; ++i) column[i] = b.values()[Size{i} * k + j];
        products += cg(backend, a, column, y, {.rtol = 1e-10}).iterations;

        for (Index i = 0; i < a.n_rows; ++i) y[i] = x.values()[Size{i} * k + j];
        HostVector<double> r = column.clone();
        spmv(backend, a, y, r, -1.0, 1.0);  // b - A x of this column, computed here
        const double residual = std::sqrt(dot(backend, r, r) / dot(backend, column, column));
        std::cout << "column " << j + 1 << ": |b - A x| / |b| = " << residual << '\n';
        converged = converged && residual <= 1e-10;
    }
    std::cout << "one after another: " << products << " products with A\n";
    return converged ? 0 : 1;
}
