// Solves Poisson's equation on a 3-D grid by conjugate gradients and checks the answer.
#include "stiefel/core/backend.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <cmath>
#include <iostream>

int main() {
    using namespace stiefel;
    OpenMP backend;

    const HostCsr<double> a = poisson3d<double>(backend, 40, 40, 40);
    const HostVector<double> b(a.n_rows, 1.0);
    HostVector<double> x(a.n_rows, 0.0);  // the guess, and then the solution

    const SolveResult result = cg(backend, a, b, x, {.rtol = 1e-10});
    std::cout << a.n_rows << " unknowns, " << a.nnz() << " nonzeros: " << to_string(result.reason) << " in "
              << result.iterations << " iterations, " << result.seconds << " s\n";

    // r = b - A x, computed here from the solution itself.
    HostVector<double> r = b.clone();
    spmv(backend, a, x, r, -1.0, 1.0);
    const double relative_residual = std::sqrt(dot(backend, r, r) / dot(backend, b, b));
    std::cout << "|b - A x| / |b| = " << relative_residual << '\n';
    return relative_residual <= 1e-10 ? 0 : 1;
}
