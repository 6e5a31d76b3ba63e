// What multigrid does for a matrix whose couplings differ by three orders of magnitude in two directions.
#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <iostream>

int main() {
    using namespace stiefel;
    OpenMP backend;
    const HostCsr<double> a = anisotropic2d<double>(backend, 300, 300, 1e-3);
    const HostVector<double> b(a.n_rows, 1.0);

    HostVector<double> x(a.n_rows, 0.0);
    const SolveResult plain = cg(backend, a, b, x);

    const Amg<OpenMP, double> m(backend, a);  // one set-up serves any number of right-hand sides
    HostVector<double> y(a.n_rows, 0.0);
    const SolveResult multigrid = cg(backend, a, m, b, y);

    std::cout << "plain:     " << to_string(plain.reason) << " in " << plain.iterations << " iterations, "
              << plain.seconds << " s\n"
              << "multigrid: " << to_string(multigrid.reason) << " in " << multigrid.iterations << " iterations, "
              << multigrid.seconds << " s after " << summary(m.details()) << "\n";
    return multigrid.reason == StopReason::converged && 10 * multigrid.iterations < plain.iterations ? 0 : 1;
}
