#pragma once

#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "support/columns.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {

// How CG ends, and what it says then, for any backend and any way of running its loop. The tests bring
//   solve(a, inverse_diagonal, b, x, options)  from the guess x to the solution, all on the host; an inverse_diagonal
// that is empty is no preconditioner.

/// A system that is made to end in one way, and how.
template <class T>
struct CgCase {
    std::string name;
    HostCsr<T> a;
    std::vector<double> b;
    CgOptions options;
    StopReason reason;
    Evidence evidence = Evidence::none;
};

template <class T>
HostVector<T> host_vector(const std::vector<double>& values) {
    HostVector<T> v(static_cast<Size>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) v[static_cast<Size>(i)] = static_cast<T>(values[i]);
    return v;
}

/// The diagonal 1, 2, ..., 100 `copies` times over, and `last`; b is ones, and a little in the last row, so that CG
/// sees that row only when it is almost done with the others, after 20 iterations and more.
template <class T>
CgCase<T> late_case(std::string name, int copies, double last, double size, StopReason reason,
                    Evidence evidence = Evidence::none) {
    std::vector<double> diagonal, b;
    for (int i = 0; i < 100 * copies; ++i) {
        diagonal.push_back(size * (1 + i % 100));
        b.push_back(1);
    }
    diagonal.push_back(size * last);
    b.push_back(1e-3 * std::sqrt(copies));
    return {.name = std::move(name),
            .a = diagonal_matrix<T>(diagonal),
            .b = std::move(b),
            .options = {.rtol = 1e-5},
            .reason = reason,
            .evidence = evidence};
}

template <class T>
std::vector<CgCase<T>> late_cases(int copies) {
    OpenMP maker(1);
    std::vector<CgCase<T>> cases;
    cases.push_back(late_case<T>("converged", copies, 1, 1, StopReason::converged));
    cases.push_back(late_case<T>("max_iterations", copies, 1, 1, StopReason::max_iterations));
    cases.back().options.max_iterations = 23;
    cases.push_back(
        late_case<T>("negative", copies, -1, 1, StopReason::not_positive_definite, Evidence::negative_curvature));
    cases.push_back(
        late_case<T>("singular", copies, 0, 1, StopReason::not_positive_definite, Evidence::residual_growth));
    // x = 1 / diagonal is beyond the range of T, while r, p and A p are not.
    constexpr bool wide = std::is_same_v<T, double>;
    cases.push_back(late_case<T>("overflow", copies, 1, wide ? 1e-250 : 1e-30, StopReason::not_finite));
    for (double& b : cases.back().b) b *= wide ? 1e70 : 1e20;

    HostCsr<T> poisson = copies == 1 ? poisson1d<T>(maker, 500) : poisson2d<T>(maker, 64, 65);
    std::vector<double> b;
    for (Index i = 0; i < poisson.n_rows; ++i) b.push_back(std::sin(1.7 * i * i));
    cases.push_back({.name = "stagnated",
                     .a = std::move(poisson),
                     .b = std::move(b),
                     .options = {.rtol = std::numeric_limits<T>::epsilon() / 16, .max_iterations = 100000},
                     .reason = StopReason::stagnated,
                     .evidence = Evidence::rounding});
    return cases;
}

/// Every reason that the loop finds by itself, after so many iterations that CUDA has long left those that it samples.
/// What is returned is never worse than the guess 0 where A, M or rounding ended the run.
template <class T, class Solve>
void check_late_ends(int copies, Solve&& solve) {
    for (const CgCase<T>& one : late_cases<T>(copies)) {
        SCOPED_TRACE(one.name + ", copies: " + std::to_string(copies));
        const HostVector<T> b = host_vector<T>(one.b);
        HostVector<T> x(b.size(), T{0});
        const SolveResult result = solve(one.a, HostVector<T>(), b, x, one.options);
        EXPECT_EQ(to_string(result.reason), to_string(one.reason));
        EXPECT_EQ(to_string(result.evidence), to_string(one.evidence));
        EXPECT_GT(result.iterations, 20);
        EXPECT_TRUE(cg_trusts_last(one.reason) || result.relative_residual <= 1);
        const auto actual = static_cast<double>(true_relative_residual(one.a, b, x));
        EXPECT_TRUE(std::abs(actual - result.relative_residual) <= 1e-3 * actual + 1e-6) << actual;
        EXPECT_LE(result.x_iteration, result.iterations);
        EXPECT_TRUE(!cg_trusts_last(one.reason) || result.x_iteration == result.iterations);
        EXPECT_TRUE(actual < 1 || cg_trusts_last(one.reason) || result.x_iteration == 0);
    }
}

/// The loop's numbers leave their range in the midst of a run, where a preconditioner of absurd size meets a residual
/// that has been 0 until then. That speaks against neither A nor M, so the run goes on at another scale.
template <class Solve>
void check_overflow_on_the_way(Solve&& solve) {
    OpenMP maker(1);
    const HostCsr<double> a = poisson1d<double>(maker, 200);
    HostVector<double> b(200, 0.0), inverse_diagonal(200, 0.5), x(200, 0.0);
    b[0] = 1;
    inverse_diagonal[60] = 1e200;  // residuals spread by a row an iteration
    const SolveResult result = solve(a, inverse_diagonal, b, x, CgOptions{.max_iterations = 62});
    EXPECT_EQ(result.reason, StopReason::max_iterations);
    EXPECT_EQ(result.iterations, 62);
    EXPECT_EQ(result.restarts, 1);
    EXPECT_TRUE(result.relative_residual <= 1);
}

/// Sizes of A and b at the ends of the range: SPD systems are solved, whatever their size.
template <class T, class Solve>
void check_sizes_of_a_and_b(Solve&& solve) {
    constexpr bool wide = std::is_same_v<T, double>;
    const std::vector<double> sizes =
        wide ? std::vector{1e-300, 1e-290, 1e-250, 1e-25, 1e200, 1e300} : std::vector{1e-35, 1e-25, 1e20, 1e35};
    OpenMP maker(1);
    for (const double size : sizes) {
        HostCsr<T> a = poisson1d<T>(maker, 60);
        for (T& value : a.values) value = static_cast<T>(value * size);
        for (const double rhs : {size, wide ? 1e-60 : 1e-15, 1.0, wide ? 1e60 : 1e15}) {
            if (!(rhs / size < (wide ? 1e300 : 1e30)) || !(rhs / size > (wide ? 1e-300 : 1e-30))) continue;  // x
            for (const bool jacobi : {false, true}) {
                SCOPED_TRACE("A of " + std::to_string(std::log10(size)) + ", b of " + std::to_string(std::log10(rhs)) +
                             (jacobi ? ", jacobi" : ""));
                const HostVector<T> b(60, static_cast<T>(rhs));
                HostVector<T> x(60, T{0});
                const auto inverse = jacobi ? HostVector<T>(60, static_cast<T>(0.5 / size)) : HostVector<T>();
                const SolveResult result = solve(a, inverse, b, x, CgOptions{.rtol = wide ? 1e-10 : 1e-4});
                EXPECT_EQ(to_string(result.reason), "converged");
                EXPECT_TRUE(true_relative_residual(a, b, x) <= (wide ? 2e-10L : 2e-4L));
                EXPECT_LE(result.iterations, 40);
            }
        }
    }
}

/// A condition number of 1e600: solved where the preconditioner takes it away, else nothing is said that is not so.
template <class Solve>
void check_widest_diagonal(Solve&& solve) {
    const HostCsr<double> a = diagonal_matrix<double>({1e-300, 1, 1e300});
    const HostVector<double> b{1, 1, 1};
    HostVector<double> x(3, 0.0);
    EXPECT_EQ(solve(a, HostVector<double>{1e300, 1, 1e-300}, b, x, CgOptions{}).reason, StopReason::converged);
    EXPECT_TRUE(std::abs(x[0] * 1e-300 - 1) <= 1e-8 && std::abs(x[1] - 1) <= 1e-8 &&
                std::abs(x[2] * 1e300 - 1) <= 1e-8);
    HostVector<double> y(3, 0.0);
    const SolveResult plain = solve(a, HostVector<double>(), b, y, CgOptions{});
    EXPECT_NE(plain.evidence, Evidence::negative_curvature);
    EXPECT_NE(plain.evidence, Evidence::preconditioner);
    EXPECT_TRUE(plain.relative_residual <= 1);
}

/// The evidence against A or M in the first iterations.
template <class T, class Solve>
void check_evidence(Solve&& solve) {
    const auto end = [&](std::initializer_list<double> diagonal, std::initializer_list<double> inverse) {
        HostVector<T> x(4, T{0});
        return solve(diagonal_matrix<T>(diagonal), host_vector<T>(inverse), HostVector<T>{1, 2, 1, T{0.5}}, x,
                     CgOptions{});
    };
    EXPECT_EQ(end({1, -2, 3, 4}, {}).evidence, Evidence::negative_curvature);
    EXPECT_EQ(end({-1, -2, -3, -4}, {}).evidence, Evidence::negative_curvature);
    EXPECT_EQ(end({0, 0, 0, 0}, {}).evidence, Evidence::zero_curvature);
    EXPECT_EQ(end({1, 2, 0, 4}, {}).evidence, Evidence::residual_growth);
    EXPECT_EQ(end({1, 2, 3, 4}, {1, -1, -1, -1}).evidence, Evidence::preconditioner);
    const SolveResult good = end({1, 2, 3, 4}, {});
    EXPECT_EQ(good.evidence, Evidence::none);
    EXPECT_EQ(good.x_iteration, good.iterations);
    // p'Ap = 1 - 1 + d: below zero only by what rounding makes of it in T.
    const T d = -std::numeric_limits<T>::epsilon() / 4;
    HostVector<T> x(3, T{0});
    const SolveResult rounded = solve(diagonal_matrix<T>({1, -1, static_cast<double>(d)}), HostVector<T>(),
                                      HostVector<T>{1, 1, 1}, x, CgOptions{});
    EXPECT_EQ(rounded.reason, StopReason::not_positive_definite);
    EXPECT_EQ(rounded.evidence, Evidence::zero_curvature);
}

/// A singular system without a solution sends x to infinity: what comes back is the guess, to the bit.
template <class T, class Solve>
void check_the_better_x(Solve&& solve) {
    const Index n = 300;
    const HostCsr<T> a = path_laplacian<T>(n);  // singular
    HostVector<T> b = random_vector<T>(n, 5);
    for (T& value : b) value += T{1};
    for (const double size : {0.0, 1.0}) {
        HostVector<T> guess = random_vector<T>(n, 6);
        for (T& value : guess) value *= static_cast<T>(1e-3 * size);
        HostVector<T> x = guess.clone();
        const auto before = static_cast<double>(true_relative_residual(a, b, x));
        const SolveResult result = solve(a, HostVector<T>(), b, x, CgOptions{});
        EXPECT_EQ(result.reason, StopReason::not_positive_definite);
        EXPECT_EQ(result.x_iteration, 0);
        EXPECT_GT(result.iterations, 20);
        EXPECT_TRUE(std::abs(result.relative_residual - before) <= 1e-5) << before;
        for (Index i = 0; i < n; ++i) ASSERT_EQ(x[i], guess[i]) << i;
    }
}

}  // namespace stiefel::test
