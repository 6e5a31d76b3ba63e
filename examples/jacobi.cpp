// What a Jacobi preconditioner does for a matrix whose coefficients jump by six orders of magnitude.
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <iostream>

int main() {
    using namespace stiefel;
    OpenMP backend;
    const HostCsr<double> a = jump_diffusion3d<double>(backend, 30, 30, 30, {.contrast = 1e6});
    const HostVector<double> b(a.n_rows, 1.0);

    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult plain = cg(backend, a, b, x);

    const HostJacobi<double> m = make_jacobi(backend, a);  // throws where a diagonal entry is not positive
    HostVector<double> y(a.n_rows, 0.0);
    const SolveResult preconditioned = cg(backend, a, m, b, y);

    std::cout << "without preconditioner: " << to_string(plain.reason) << " in " << plain.iterations << " iterations\n"
              << "with Jacobi:            " << to_string(preconditioned.reason) << " in " << preconditioned.iterations
              << " iterations\n";
    return preconditioned.reason == StopReason::converged && preconditioned.iterations < plain.iterations ? 0 : 1;
}
