// Finds the smallest eigenpairs of a 3-D Laplacian by LOBPCG with a polynomial in A as preconditioner, and checks them
// against the values known in closed form and their own residuals.
#include "stiefel/core/backend.hpp"
#include "stiefel/preconditioner/shifted_chebyshev.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/spmv/spmm.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

using namespace stiefel;

int main() {
    OpenMP backend;
    const Index m = 24, k = 4;
    const HostCsr<double> a = poisson3d<double>(backend, m, m, m);
    const EigenOptions options{.which = EigenEnd::smallest, .rtol = 1e-8};

    // Start vectors on entry, eigenvectors on return.
    HostMultivector<double> x = random_multivector<double>(backend, a.n_rows, k);
    const auto preconditioner = make_shifted_chebyshev<OpenMP, double>(
        backend, a, a.n_rows, block_columns(a.n_rows, k, options), options.which);
    const EigenResult result = lobpcg(backend, a, preconditioner, x, options);
    std::cout << to_string(result.reason) << " in " << result.iterations << " iterations, " << result.seconds << " s\n";

    const auto of_axis = [&](int i) { return 2 - 2 * std::cos(M_PI * i / (m + 1)); };
    std::vector<double> exact;
    for (int i = 1; i <= 3; ++i) {
        for (int j = 1; j <= 3; ++j) {
            for (int l = 1; l <= 3; ++l) exact.push_back(of_axis(i) + of_axis(j) + of_axis(l));
        }
    }
    std::sort(exact.begin(), exact.end());

    bool right = result.reason == StopReason::converged;
    for (std::size_t j = 0; j < result.pairs.size(); ++j) {
        const EigenPair& pair = result.pairs[j];
        std::cout << pair.value << "  residual " << pair.residual << "  exact " << exact[j] << '\n';
        right = right && std::abs(pair.value - exact[j]) <= 1e-10 && pair.residual <= options.rtol;
    }
    return right ? 0 : 1;
}
