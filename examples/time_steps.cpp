// Steps of implicit Euler for the heat equation: many solves with one matrix, by a solver that is kept, with a
// polynomial as preconditioner.
#include "stiefel/core/backend.hpp"
#include "stiefel/preconditioner/scaled_chebyshev.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg_solver.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <cmath>
#include <iostream>
#include <numbers>

int main() {
    using namespace stiefel;
    OpenMP backend;
    constexpr Index n = 200;        // inner points, h = 1 / (n + 1)
    constexpr double step = 0.001;  // of time
    HostCsr<double> a = poisson1d<double>(backend, n);
    const double k = step * (n + 1) * (n + 1);
    for (double& value : a.values) value = k * value + (value > 0 ? 1 : 0);  // I + step A / h^2

    auto m = make_scaled_chebyshev<OpenMP, double>(backend, a, make_jacobi(backend, a), 1);
    CgSolver<OpenMP, double, HostCsr<double>, decltype(m)> solver(backend, a, m, n);

    const auto wave = [](Index i) { return std::sin(std::numbers::pi * (i + 1) / (n + 1)); };
    HostVector<double> u(n), next(n, 0.0);
    for (Index i = 0; i < n; ++i) u[i] = wave(i);
    Size iterations = 0;
    for (int t = 0; t < 100; ++t) {
        const SolveResult result = solver.solve(u, next, {.rtol = 1e-10});  // starts from the step before
        if (result.reason != StopReason::converged) return 1;
        iterations += result.iterations;
        std::swap(u, next);
    }
    const double eigenvalue = std::pow(2 * (n + 1) * std::sin(std::numbers::pi / (2 * (n + 1))), 2);
    const double expected = std::pow(1 + step * eigenvalue, -100) * wave(n / 2);
    std::cout << "100 steps in " << iterations << " iterations: u(1/2) = " << u[n / 2] << ", expected " << expected
              << "\n";
    return std::abs(u[n / 2] - expected) <= 1e-6 * expected ? 0 : 1;
}
