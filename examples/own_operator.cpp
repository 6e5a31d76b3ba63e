// Solves with an operator that is no matrix: u - nu u'' on a ring of n points, applied as it is written down. CG asks
// of an operator only an spmv in the operator's own namespace, where argument-dependent lookup finds it.
#include "stiefel/core/backend.hpp"
#include "stiefel/solver/cg.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace ring {

using stiefel::HostVector;
using stiefel::Index;

struct Diffusion {
    Index n;
    double nu;  ///< > 0, times the grid's 1 / h^2
};

/// y = alpha A x + beta y, on any backend whose vectors lie in host memory; beta = 0 must not read y.
template <class Backend>
void spmv(Backend& backend, const Diffusion& a, const HostVector<double>& x, HostVector<double>& y, double alpha,
          double beta) {
#pragma omp parallel for num_threads(backend.threads())
    for (Index i = 0; i < a.n; ++i) {
        const double left = x[i == 0 ? a.n - 1 : i - 1];
        const double right = x[i == a.n - 1 ? 0 : i + 1];
        const double product = x[i] + a.nu * (2 * x[i] - left - right);
        y[i] = alpha * product + (beta == 0 ? 0 : beta * y[i]);
    }
}

}  // namespace ring

int main() {
    using namespace stiefel;
    OpenMP backend;
    const ring::Diffusion a{.n = 100000, .nu = 2500};
    HostVector<double> b(a.n, 0.0);
    b[0] = 1;  // a drop of dye at one point
    HostVector<double> x(a.n, 0.0);
    const SolveResult result = cg(backend, a, b, x, {.rtol = 1e-10});

    // It spreads to both sides as c q^distance, with q the root below 1 of  1 + nu (2 - q - 1 / q) = 0.
    const double c = 1 / std::sqrt(1 + 4 * a.nu);
    const double q = 1 + (1 - 1 / c) / (2 * a.nu);
    double error = 0;
    for (Index i = 0; i < a.n; ++i) error = std::max(error, std::abs(x[i] - c * std::pow(q, std::min(i, a.n - i))));
    std::cout << to_string(result.reason) << " in " << result.iterations << " iterations, largest error " << error
              << " of " << c << '\n';
    return error <= 1e-9 * c ? 0 : 1;
}
