#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/problems/random.hpp"
#include "support/bounds.hpp"

#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

namespace stiefel::test {

struct GemmCase {
    Index m = 0;
    Index n = 0;
    Index k = 0;
    Op op_a = Op::none;
    Op op_b = Op::none;
    double alpha = 1;
    double beta = 0;
    Size padding = 0;  ///< leading dimensions exceed the number of columns by this

    friend std::ostream& operator<<(std::ostream& out, const GemmCase& g) {
        const auto op = [](Op o) { return o == Op::none ? "" : "'"; };
        return out << g.m << " x " << g.n << " x " << g.k << ", " << g.alpha << " A" << op(g.op_a) << " B" << op(g.op_b)
                   << " + " << g.beta << " C, padding " << g.padding;
    }
};

/// A random matrix in storage of its own, with NaN where nobody may look.
template <class T>
struct PaddedMatrix {
    HostVector<T> values;
    Index n_rows = 0;
    Index n_cols = 0;
    Size ld = 1;

    PaddedMatrix(Index rows, Index cols, Size padding, std::uint64_t seed)
        : values(Size{rows} * std::max<Size>(1, cols + padding), std::numeric_limits<T>::quiet_NaN()),
          n_rows(rows),
          n_cols(cols),
          ld(std::max<Size>(1, cols + padding)) {
        for (Index i = 0; i < rows; ++i) {
            const RandomRow row(seed, i);
            for (Index j = 0; j < cols; ++j) values[i * ld + j] = static_cast<T>(2 * row.uniform(j) - 1);
        }
    }

    T operator()(Size i, Size j) const { return values[i * ld + j]; }
    HostMatrix<const T> view() const { return {values.data(), n_rows, n_cols, ld}; }
    HostMatrix<T> view_of(HostVector<T>& other) const { return {other.data(), n_rows, n_cols, ld}; }
};

/// One product with its exact result: C in extended precision and, for the bound, the sum of absolute values.
template <class T>
class GemmReference {
public:
    explicit GemmReference(const GemmCase& what)
        : what_(what),
          a_(what.op_a == Op::none ? what.m : what.k, what.op_a == Op::none ? what.k : what.m, what.padding, 1),
          b_(what.op_b == Op::none ? what.k : what.n, what.op_b == Op::none ? what.n : what.k, 2 * what.padding, 2),
          c_(what.m, what.n, 3 * what.padding, 3) {
        if (what.beta == 0) std::fill(c_.values.begin(), c_.values.end(), std::numeric_limits<T>::quiet_NaN());
        for (Size i = 0; i < what.m; ++i) {
            for (Size j = 0; j < what.n; ++j) sum_products(i, j);
        }
    }

    const PaddedMatrix<T>& a() const { return a_; }
    const PaddedMatrix<T>& b() const { return b_; }
    const PaddedMatrix<T>& c() const { return c_; }  ///< before the product
    T alpha() const { return static_cast<T>(what_.alpha); }
    T beta() const { return static_cast<T>(what_.beta); }
    const GemmCase& what() const { return what_; }

    /// Whether `result`, C's storage after the product, holds C within the bound and is untouched between the rows.
    /// `slack` is allowed besides, relative to the sum of absolute values: for kernels that round their operands.
    ::testing::AssertionResult accepts(const HostVector<T>& result, long double slack = 0) const {
        for (Size i = 0; i < what_.m; ++i) {
            for (Size j = 0; j < what_.n; ++j) {
                const auto place = static_cast<std::size_t>(i * what_.n + j);
                const auto close = within(result[i * c_.ld + j], exact_[place],
                                          sum_bound<T>(what_.k + 2, absolute_[place]) + slack * absolute_[place]);
                if (!close) return ::testing::AssertionFailure() << "C(" << i << ", " << j << "): " << close.message();
            }
            for (Size j = what_.n; j < c_.ld; ++j) {
                if (!std::isnan(result[i * c_.ld + j])) {
                    return ::testing::AssertionFailure() << "row " << i << " was written past its end";
                }
            }
        }
        return ::testing::AssertionSuccess();
    }

private:
    void sum_products(Size i, Size j) {
        long double sum = 0;
        long double absolute = 0;
        for (Size p = 0; p < what_.k; ++p) {
            const long double x = what_.op_a == Op::none ? a_(i, p) : a_(p, i);
            const long double y = what_.op_b == Op::none ? b_(p, j) : b_(j, p);
            sum += x * y;
            absolute += std::abs(x * y);
        }
        const long double scale = alpha();
        const long double before = what_.beta == 0 ? 0 : static_cast<long double>(beta()) * c_(i, j);
        exact_.push_back(scale * sum + before);
        absolute_.push_back(std::abs(scale) * absolute + std::abs(before));
    }

    GemmCase what_;
    PaddedMatrix<T> a_;
    PaddedMatrix<T> b_;
    PaddedMatrix<T> c_;
    std::vector<long double> exact_;
    std::vector<long double> absolute_;
};

/// Sizes at, below and above the edges of tiles and registers, empty ones, long ones in each direction; all four
/// transpositions; scalars that take every branch.
inline std::vector<GemmCase> gemm_cases() {
    std::vector<GemmCase> cases;
    constexpr Index edges[] = {0, 1, 31, 32, 33};
    int turn = 0;
    constexpr Op ops[] = {Op::none, Op::transpose};
    constexpr double alphas[] = {1, -0.75, 2};
    constexpr double betas[] = {0, 1, -1.5, 0, 0.5};
    const auto add = [&](Index m, Index n, Index k) {
        for (const Op op_a : ops) {
            for (const Op op_b : ops) {
                cases.push_back({m, n, k, op_a, op_b, alphas[turn % 3], betas[turn % 5], turn % 4});
                ++turn;
            }
        }
    };
    for (const Index m : edges) {
        for (const Index n : edges) {
            for (const Index k : edges) add(m, n, k);
        }
    }
    add(1000, 37, 64);
    add(37, 1000, 64);
    add(64, 37, 1000);
    add(131, 257, 521);
    // A column whose transpose is a single row: elements one after the other, in storage with a leading dimension of 1.
    cases.push_back({1, 40, 50, Op::transpose, Op::none, 1, 0, 0});
    cases.push_back({1, 1, 1001, Op::transpose, Op::none, 1, 0, 0});
    cases.push_back({40, 50, 1, Op::none, Op::transpose, 1, 0, 0});
    cases.push_back({40, 50, 60, Op::none, Op::none, 0, 0.5, 1});
    cases.push_back({40, 50, 60, Op::none, Op::transpose, 0, 0, 0});
    return cases;
}

}  // namespace stiefel::test
