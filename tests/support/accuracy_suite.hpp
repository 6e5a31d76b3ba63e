#pragma once

#include "support/cg_ends.hpp"
#include "support/columns.hpp"
#include "support/dense_matrix.hpp"
#include "support/inverse_diagonal.hpp"
#include "support/laplacians.hpp"

#include "stiefel/analysis/infinity_norm.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/solver/block_solve_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace stiefel::test {

// What CG says of the condition of a system and of the accuracy of x, recomputed. The tests bring solve() as in
// cg_ends.hpp.

/// The largest shift, to one part in a million, that all eigenvalues of a positive definite A exceed.
inline long double smallest_eigenvalue(const DenseMatrix& a) {
    long double low = 0, high = a(0, 0);
    for (Index i = 0; i < a.n_rows; ++i) high = std::min(high, a(i, i));
    for (long double tried = high; low == 0; tried /= 2) (eigenvalues_exceed(a, tried) ? low : high) = tried;
    while (high - low > 1e-6L * high) {
        const long double middle = (low + high) / 2;
        (eigenvalues_exceed(a, middle) ? low : high) = middle;
    }
    return low;
}

inline long double largest_eigenvalue(DenseMatrix a) {
    long double bound = 0;
    for (Index i = 0; i < a.n_rows; ++i) {
        long double sum = 0;
        for (Index j = 0; j < a.n_cols; ++j) sum += std::abs(a(i, j));
        bound = std::max(bound, sum);
    }
    // bound I - A has its smallest eigenvalue where A has its largest.
    for (long double& value : a.values) value = -value;
    long double low = 0, high = bound;
    while (high - low > 1e-6L * high) {
        const long double middle = (low + high) / 2;
        (eigenvalues_exceed(a, -middle) ? high : low) = middle;
    }
    return high;
}

/// D^1/2 A D^1/2, which has the eigenvalues of D A.
template <class T>
DenseMatrix scaled_from_both_sides(const HostCsr<T>& a, const HostVector<T>& d) {
    DenseMatrix dense = dense_matrix(a);
    for (Index i = 0; i < a.n_rows && !d.empty(); ++i) {
        for (Index j = 0; j < a.n_rows; ++j) {
            dense(i, j) *= std::sqrt(static_cast<long double>(d[i])) * std::sqrt(static_cast<long double>(d[j]));
        }
    }
    return dense;
}

/// A system of which CG is asked for the outermost eigenvalues.
template <class T>
struct Spectrum {
    std::string name;
    HostCsr<T> a;
    HostVector<T> inverse_diagonal = {};
    double rtol = 0;
};

/// Spectra of different kinds: evenly spread, over many orders of magnitude, a cluster with outliers, all the same;
/// with and without the diagonal as preconditioner. The widest take several times n iterations, and restarts.
template <class T>
std::vector<Spectrum<T>> spectra() {
    constexpr bool wide = std::is_same_v<T, double>;
    const double rtol = wide ? 1e-12 : 1e-5;
    OpenMP maker(1);
    std::vector<Spectrum<T>> all;
    all.push_back({.name = "line", .a = poisson1d<T>(maker, wide ? 60 : 20), .rtol = rtol});
    all.push_back({.name = "grid", .a = poisson2d<T>(maker, 8, 9), .rtol = rtol});
    all.push_back({.name = "unit", .a = diagonal_matrix<T>(std::vector<double>(30, 3.0)), .rtol = rtol});
    std::vector<double> wide_diagonal, cluster(50, 1.0);
    const int decades = wide ? 8 : 2;
    for (int i = 0; i < 70; ++i) wide_diagonal.push_back(std::pow(10.0, decades * i / 69.0 - 3));
    for (int i = 0; i < 50; ++i) cluster[static_cast<std::size_t>(i)] += 1e-2 * i;
    cluster[7] = 1e-2;
    cluster[31] = 300;
    all.push_back({.name = "wide", .a = diagonal_matrix<T>(wide_diagonal), .rtol = rtol});
    all.push_back({.name = "cluster", .a = diagonal_matrix<T>(cluster), .rtol = rtol});

    HostCsr<T> random = random_spd<T>(maker, 80, {.degree = 6, .shift = 0.05, .seed = 4});
    auto jacobi = inverse_diagonal_of(random);
    all.push_back({.name = "random", .a = cloned(random), .rtol = rtol});
    all.push_back(
        {.name = "random, jacobi", .a = std::move(random), .inverse_diagonal = std::move(jacobi), .rtol = rtol});

    // D A D of very different sizes, that the diagonal takes away again.
    HostCsr<T> scaled = poisson2d<T>(maker, 7, 7);
    scaled.row_ptr.visit([&](const auto* row_ptr) {
        const auto size = [](Index i) { return std::ldexp(1.0, (i * 7) % 11 - 5); };
        for (Index i = 0; i < scaled.n_rows; ++i) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                scaled.values[k] = static_cast<T>(scaled.values[k] * size(i) * size(scaled.col_idx[k]));
            }
        }
    });
    auto inverse = inverse_diagonal_of(scaled);
    all.push_back(
        {.name = "scaled, jacobi", .a = std::move(scaled), .inverse_diagonal = std::move(inverse), .rtol = rtol});
    // Beyond what the precision can reach: one run follows another.
    all.push_back({.name = "restarts", .a = poisson2d<T>(maker, 8, 9), .rtol = 1e-30});
    return all;
}

/// The outermost eigenvalues of M A.
template <class T>
RitzExtremes ends_of(const Spectrum<T>& one) {
    const DenseMatrix dense = scaled_from_both_sides(one.a, one.inverse_diagonal);
    return {.smallest = static_cast<double>(smallest_eigenvalue(dense)),
            .largest = static_cast<double>(largest_eigenvalue(dense))};
}

/// The condition is that of M A: never more than it is but for rounding of A p, which moves the smallest eigenvalue by
/// some eps times the largest, and at the end of a solve to the tolerance not much less. share: of either end, what may
/// be lost in computing it from the coefficients.
template <class T>
void expect_condition(const RitzExtremes& ends, const std::optional<RitzExtremes>& told, double share = 0) {
    ASSERT_TRUE(told.has_value());
    constexpr double near = std::is_same_v<T, double> ? 1.03 : 1.1;
    const double low = ends.smallest * (1 - share), high = ends.largest * (1 + share);
    const double rounding = 8 * std::numeric_limits<T>::epsilon() * high;
    EXPECT_TRUE(told->largest <= high + rounding && told->largest * near >= high) << told->largest << " for " << high;
    EXPECT_TRUE(told->smallest >= low - rounding && told->smallest <= near * low + rounding)
        << told->smallest << " for " << low;
    EXPECT_EQ(told->condition(), told->largest / told->smallest);
}

template <class T, class Solve>
void check_condition(Solve&& solve) {
    for (const Spectrum<T>& one : spectra<T>()) {
        SCOPED_TRACE(one.name);
        const HostVector<T> b = random_vector<T>(one.a.n_rows, 21);
        HostVector<T> x(b.size(), T{0});
        const SolveResult result = solve(one.a, one.inverse_diagonal, b, x, CgOptions{.rtol = one.rtol});
        expect_condition<T>(ends_of(one), result.ritz);
        EXPECT_TRUE(result.restarts > 0 || one.name != "restarts");
    }
}

/// The same of blocks, solve(a, inverse_diagonal, b, x, options) with panels b and x: one column, some, of which one
/// says nothing of its own, and about as many as rows.
template <class T, class Solve>
void check_block_condition(Solve&& solve) {
    for (const Spectrum<T>& one : spectra<T>()) {
        const RitzExtremes ends = ends_of(one);
        for (const Index k : {1, 2, 7, 40}) {
            SCOPED_TRACE(one.name + ", columns: " + std::to_string(k));
            HostMultivector<T> b = random_panel<T>(one.a.n_rows, k, 21), x = zero_panel<T>(one.a.n_rows, k);
            if (k == 7) set_column(b, 3, column(b, 1));
            const BlockSolveResult result = solve(one.a, one.inverse_diagonal, b, x, CgOptions{.rtol = one.rtol});
            expect_condition<T>(ends, result.ritz, 1e-5);
            EXPECT_TRUE(result.restarts > 0 || one.name != "restarts");
        }
    }
}

/// Nothing is said of a condition where there is none, and no more than was seen where little was.
template <class T, class Solve>
void check_no_condition(Solve&& solve) {
    const auto end = [&](std::initializer_list<double> diagonal, std::initializer_list<double> inverse,
                         const CgOptions& options = {}) {
        HostVector<T> x(4, T{0});
        return solve(diagonal_matrix<T>(diagonal), host_vector<T>(inverse), HostVector<T>{1, 2, 1, T{0.5}}, x, options);
    };
    EXPECT_FALSE(end({1, -2, 3, 4}, {}).ritz.has_value());
    EXPECT_FALSE(end({1, 2, 3, 4}, {1, -1, -1, -1}).ritz.has_value());
    EXPECT_FALSE(end({0, 0, 0, 0}, {}).ritz.has_value());
    EXPECT_FALSE(end({1, 2, 3, 4}, {}, {.max_iterations = 0}).ritz.has_value());
    const SolveResult one = end({1, 2, 3, 4}, {}, {.max_iterations = 1});
    ASSERT_TRUE(one.ritz.has_value());
    EXPECT_EQ(one.ritz->condition(), 1);
    const double rayleigh = (1 + 2 * 4 + 3 + 4 * 0.25) / (1 + 4 + 1 + 0.25);
    EXPECT_TRUE(std::abs(one.ritz->largest / rayleigh - 1) <= 0.01) << one.ritz->largest;
}

template <class T, class Solve>
void check_no_block_condition(Solve&& solve) {
    const auto end = [&](std::initializer_list<double> diagonal, const CgOptions& options = {}) {
        HostMultivector<T> b = random_panel<T>(4, 2, 21), x = zero_panel<T>(4, 2);
        return solve(diagonal_matrix<T>(diagonal), HostVector<T>(), b, x, options);
    };
    EXPECT_FALSE(end({1, -2, 3, 4}).ritz.has_value());
    EXPECT_FALSE(end({0, 0, 0, 0}).ritz.has_value());
    EXPECT_FALSE(end({1, 2, 3, 4}, {.max_iterations = 0}).ritz.has_value());
    const BlockSolveResult one = end({1, 2, 3, 4}, {.max_iterations = 1});
    ASSERT_TRUE(one.ritz.has_value());
    EXPECT_TRUE(one.ritz->smallest >= 1 - 1e-5 && one.ritz->largest <= 4 + 4e-5 && one.ritz->condition() > 1);
}

/// In extended precision, which has the range for it.
template <class T>
long double true_backward_error(const HostCsr<T>& a, const HostVector<T>& b, const HostVector<T>& x, long double norm) {
    long double x2 = 0, b2 = 0;
    for (const T value : x) x2 += static_cast<long double>(value) * value;
    for (const T value : b) b2 += static_cast<long double>(value) * value;
    return true_relative_residual(a, b, x) / (norm * std::sqrt(x2) / std::sqrt(b2) + 1);
}

/// Systems of any size: the backward error is what it is, up to what rounding does to b - A x.
template <class T, class Solve>
void check_backward_error(Solve&& solve) {
    constexpr bool wide = std::is_same_v<T, double>;
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    const std::vector<double> sizes =
        wide ? std::vector{1e-300, 1e-250, 1.0, 1e200, 1e300} : std::vector{1e-35, 1e-25, 1.0, 1e20, 1e35};
    OpenMP maker(1);
    for (const double size : sizes) {
        HostCsr<T> a = poisson1d<T>(maker, 60);
        for (T& value : a.values) value = static_cast<T>(value * size);
        const double norm = infinity_norm(maker, a);
        EXPECT_TRUE(std::abs(norm / size - 4) <= 4 * eps);
        for (const double rhs : {size, 1.0}) {
            if (!(rhs / size < (wide ? 1e300 : 1e30)) || !(rhs / size > (wide ? 1e-300 : 1e-30))) continue;  // x
            for (const double rtol : {1e-3, wide ? 1e-9 : 1e-4}) {
                SCOPED_TRACE("A of " + std::to_string(std::log10(size)) + ", b of " + std::to_string(std::log10(rhs)));
                const HostVector<T> b(60, static_cast<T>(rhs));
                HostVector<T> x(60, T{0});
                CgOptions options{.rtol = rtol, .matrix_norm = norm};
                const SolveResult result = solve(a, HostVector<T>(), b, x, options);
                ASSERT_TRUE(result.accuracy.has_value());
                const auto expected = static_cast<double>(true_backward_error(a, b, x, norm));
                EXPECT_TRUE(std::abs(result.accuracy->backward_error - expected) <= 1e-3 * expected + 4 * eps)
                    << result.accuracy->backward_error << " for " << expected;
                EXPECT_EQ(result.accuracy->matrix_norm, norm);
                const double attainable = eps * (result.relative_residual / result.accuracy->backward_error - 1);
                EXPECT_TRUE(expected < eps ||
                            std::abs(result.accuracy->attainable_residual - attainable) <= 1e-6 * (attainable + eps));
            }
        }
    }
    // b = 0 has x = 0, exactly; a guess that is left as it is has the error that it has.
    const HostCsr<T> a = diagonal_matrix<T>({1, 2, 4});
    HostVector<T> zero(3, T{1}), guess(3, T{1});
    const SolveResult none = solve(a, HostVector<T>(), HostVector<T>(3, T{0}), zero, CgOptions{.matrix_norm = 4});
    ASSERT_TRUE(none.accuracy.has_value());
    EXPECT_EQ(none.accuracy->backward_error, 0);
    const SolveResult as_guessed =
        solve(a, HostVector<T>(), HostVector<T>{2, 2, 4}, guess, CgOptions{.max_iterations = 0, .matrix_norm = 4});
    ASSERT_TRUE(as_guessed.accuracy.has_value());
    const double expected = 1 / (4 * std::sqrt(3.0) + std::sqrt(24.0));
    EXPECT_TRUE(std::abs(as_guessed.accuracy->backward_error - expected) <= 8 * eps);
    EXPECT_FALSE(solve(a, HostVector<T>(), HostVector<T>{2, 2, 4}, guess, CgOptions{}).accuracy.has_value());
}

/// Where the residual asked for lies below what the precision can reach, that is what is said, and x is as good as it
/// can be: however large |A| |x| is beside |b|, whether |A| was told or not.
template <class T, class Solve>
void check_attained(Solve&& solve) {
    constexpr bool wide = std::is_same_v<T, double>;
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    OpenMP maker(1);
    const HostCsr<T> line = poisson1d<T>(maker, wide ? 400 : 100);
    const double norm = infinity_norm(maker, line);
    for (const double told : {norm, 0.0}) {
        HostVector<T> b = random_vector<T>(line.n_rows, 4);
        for (T& value : b) value += T{1};  // near to the smallest eigenvector: x is large
        HostVector<T> x(b.size(), T{0});
        const SolveResult result =
            solve(line, HostVector<T>(), b, x, CgOptions{.rtol = eps, .max_iterations = 100000, .matrix_norm = told});
        EXPECT_EQ(to_string(result.reason), "stagnated");
        EXPECT_EQ(to_string(result.evidence), "rounding");
        ASSERT_TRUE(result.accuracy.has_value());
        EXPECT_TRUE(result.accuracy->matrix_norm <= norm && result.accuracy->matrix_norm >= norm / 3)
            << result.accuracy->matrix_norm;
        EXPECT_TRUE(result.accuracy->backward_error <= 4 * eps) << result.accuracy->backward_error;
        EXPECT_TRUE(true_backward_error(line, b, x, norm) <= 4 * eps);
        EXPECT_GT(result.accuracy->attainable_residual, 100 * eps) << "far above the residual asked for";
        EXPECT_LT(result.relative_residual, 16 * result.accuracy->attainable_residual);
    }
}

/// A run that rounding has led away from a solution that there is not: whatever is said, not that x is as good as the
/// precision allows.
template <class T, class Solve>
void check_not_attained(Solve&& solve) {
    for (const Index n : {40, 300}) {
        const HostCsr<T> a = path_laplacian<T>(n);  // singular
        HostVector<T> b = random_vector<T>(n, 5);
        for (T& value : b) value += T{1};  // not in A's range
        for (const double norm : {4.0, 0.0}) {
            HostVector<T> x(n, T{0});
            const SolveResult result = solve(a, HostVector<T>(), b, x, CgOptions{.matrix_norm = norm});
            EXPECT_NE(result.reason, StopReason::converged);
            EXPECT_NE(result.evidence, Evidence::rounding);
            EXPECT_NE(result.evidence, Evidence::none);
            if (norm == 0) continue;
            ASSERT_TRUE(result.accuracy.has_value());
            EXPECT_GT(result.accuracy->backward_error, 0.1) << "x is the guess, 0";
        }
    }
}

}  // namespace stiefel::test
