// Picard's iteration for - div ((1 + u^2) grad u) = f on a square: matrices of one pattern whose values change, for
// which multigrid keeps its hierarchy.
#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

using namespace stiefel;

namespace {

/// Between neighbours the mean of both, towards the boundary, where u = 0, that of the node and of the boundary.
void assemble(HostCsr<double>& a, const HostVector<double>& u) {
    const auto conductivity = [](double at) { return 1 + at * at; };
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            const Size sides = row_ptr[i + 1] - row_ptr[i] - 1;
            double sum = static_cast<double>(4 - sides) * (conductivity(u[i]) + conductivity(0)) / 2;
            Size diagonal = row_ptr[i];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                if (j == i) diagonal = k;
                if (j != i) sum -= a.values[k] = -(conductivity(u[i]) + conductivity(u[j])) / 2;
            }
            a.values[diagonal] = sum;
        }
    });
}

}  // namespace

int main() {
    OpenMP backend;
    constexpr Index n = 300;
    HostCsr<double> a = poisson2d<double>(backend, n, n);
    HostVector<double> u(a.n_rows, 0.0), product(a.n_rows);
    const HostVector<double> f(a.n_rows, 10.0 / (n * n));
    Amg<OpenMP, double> m(backend, a, {.for_updates = true});
    std::cout << "set up in " << m.details().seconds << " s\n";
    for (int step = 1; step <= 30; ++step) {
        assemble(a, u);
        spmv(backend, a, u, product);
        double off = 0;
        for (Index i = 0; i < a.n_rows; ++i) off = std::max(off, std::abs(f[i] - product[i]) / f[i]);
        if (off < 1e-6) return 0;
        m.update_values(backend, a);
        const SolveResult result = cg(backend, a, m, f, u, {.rtol = 1e-9});
        if (result.reason != StopReason::converged) return 1;
        std::cout << "off by " << off << ": updated in " << m.details().seconds << " s, " << result.iterations
                  << " iterations\n";
    }
    return 1;
}
