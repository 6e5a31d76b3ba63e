#pragma once

#include "support/gemm_reference.hpp"
#include "support/matrices.hpp"

#include "stiefel/spmv/kernel_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stiefel::test {

/// Numbers of columns: those with code paths of their own, their neighbours, and the ends.
inline constexpr Index spmm_widths[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 64, 100, 256};

/// One for each code path, for larger matrices.
inline constexpr Index every_path_columns[] = {1, 2, 3, 4, 8, 12, 16, 32, 64};

struct SpmmCase {
    Index k = 1;
    double alpha = 1;
    double beta = 0;
    Size padding = 0;  ///< ldx exceeds k by this, ldy by twice this
};

inline std::ostream& operator<<(std::ostream& out, const SpmmCase& what) {
    return out << "k " << what.k << ", " << what.alpha << " A X + " << what.beta << " Y, padding " << what.padding;
}

/// Scalars and leading dimensions in turn, so that every k meets several of them.
inline SpmmCase spmm_case(Index k, int turn) {
    constexpr std::pair<double, double> factors[] = {{1, 0}, {1, 1}, {-2, 0.3}, {0, 2}, {0.5, 0}, {0, 0}, {-1, 1}};
    const auto& [alpha, beta] = factors[turn % 7];
    return {k, alpha, beta, turn % 5 == 4 ? 8 : turn % 5};
}

/// Errors relative to the sum of absolute products that an element is made of.
struct RelativeErrors {
    long double max = 0;
    long double mean = 0;
};

/// Y = alpha A X + beta Y in extended precision, for random X and Y with NaN where nobody may look.
template <class T>
class SpmmReference {
public:
    SpmmReference(const HostCsr<T>& a, const SpmmCase& what)
        : what_(what), x_(a.n_cols, what.k, what.padding, 31), y_(a.n_rows, what.k, 2 * what.padding, 32) {
        if (what.beta == 0) std::fill(y_.values.begin(), y_.values.end(), std::numeric_limits<T>::quiet_NaN());
        exact_.resize(static_cast<std::size_t>(Size{a.n_rows} * what.k));
        absolute_.resize(exact_.size());
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                sum_row(a, i, row_ptr[i], row_ptr[i + 1]);
                n_terms_.push_back(row_ptr[i + 1] - row_ptr[i]);
            }
        });
    }

    const SpmmCase& what() const { return what_; }
    const PaddedMatrix<T>& x() const { return x_; }
    const PaddedMatrix<T>& y() const { return y_; }  ///< before the product

    SpmmArguments<T> arguments(const T* x, T* y) const {
        return {.x = x,
                .ldx = x_.ld,
                .y = y,
                .ldy = y_.ld,
                .k = what_.k,
                .alpha = static_cast<T>(what_.alpha),
                .beta = static_cast<T>(what_.beta)};
    }

    /// Whether `result`, Y's storage after the product, is within the bound and untouched between the rows.
    ::testing::AssertionResult accepts(const HostVector<T>& result) const {
        for (Size i = 0; i < y_.n_rows; ++i) {
            for (Size j = 0; j < what_.k; ++j) {
                const auto place = static_cast<std::size_t>(i * what_.k + j);
                const auto terms = static_cast<long double>(n_terms_[static_cast<std::size_t>(i)]);
                const auto bound = sum_bound<T>(terms, absolute_[place]);
                const long double found = result[i * y_.ld + j];
                if (std::abs(found - exact_[place]) <= bound) continue;  // the usual case makes no message
                return ::testing::AssertionFailure()
                       << "Y(" << i << ", " << j << "): " << within(found, exact_[place], bound).message();
            }
            for (Size j = what_.k; j < y_.ld; ++j) {
                if (!std::isnan(result[i * y_.ld + j])) {
                    return ::testing::AssertionFailure() << "row " << i << " was written past its end";
                }
            }
        }
        return ::testing::AssertionSuccess();
    }

    RelativeErrors errors(const HostVector<T>& result) const {
        RelativeErrors found;
        Size counted = 0;
        for (Size i = 0; i < y_.n_rows; ++i) {
            for (Size j = 0; j < what_.k; ++j) {
                const auto place = static_cast<std::size_t>(i * what_.k + j);
                if (absolute_[place] == 0) continue;
                const auto error = std::abs(result[i * y_.ld + j] - exact_[place]) / absolute_[place];
                found.max = error <= found.max ? found.max : error;  // NaN is kept
                found.mean += error;
                ++counted;
            }
        }
        if (counted > 0) found.mean /= static_cast<long double>(counted);
        return found;
    }

private:
    void sum_row(const HostCsr<T>& a, Size i, Size begin, Size end) {
        long double* const sums = exact_.data() + i * what_.k;
        long double* const absolutes = absolute_.data() + i * what_.k;
        for (Size at = begin; at < end; ++at) {
            for (Size j = 0; j < what_.k; ++j) {
                const long double term = static_cast<long double>(a.values[at]) * x_(a.col_idx[at], j);
                sums[j] += term;
                absolutes[j] += std::abs(term);
            }
        }
        const long double alpha = static_cast<T>(what_.alpha);
        for (Size j = 0; j < what_.k; ++j) {
            const long double before =
                what_.beta == 0 ? 0 : static_cast<long double>(static_cast<T>(what_.beta)) * y_(i, j);
            sums[j] = alpha * sums[j] + before;
            absolutes[j] = std::abs(alpha) * absolutes[j] + std::abs(before);
        }
    }

    SpmmCase what_;
    PaddedMatrix<T> x_;
    PaddedMatrix<T> y_;
    std::vector<long double> exact_;
    std::vector<long double> absolute_;
    std::vector<Size> n_terms_;
};

/// f(matrix) for the matrices that every rung of SpMM must get right: empty rows, a full row, not square, nothing at
/// all; all of them small, because each is multiplied by 15 panels in 13 variants of formats.
template <class T, class F>
void for_each_spmm_matrix(F&& f) {
    for (const Index n : {0, 1, 31, 32, 33}) {
        f(random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2, .seed = 1}));
        f(random_csr<T>({.n_rows = n, .n_cols = 3 * n + 1, .mean_row = 9, .empty_rows = false, .seed = 2}));
        f(random_csr<T>({.n_rows = 2 * n + 1, .n_cols = n, .mean_row = 2, .seed = 3}));
    }
    f(random_csr<T>({.n_rows = 1, .n_cols = 700, .full_row = 0}));
    f(random_csr<T>({.n_rows = 300, .n_cols = 1, .mean_row = 1}));
}

/// Is column j of row i of a result NaN exactly where row i refers to row `bad` of X, in column `bad_column` alone?
template <class T>
::testing::AssertionResult nan_went_where_it_belongs(const HostCsr<T>& a, const HostVector<T>& y, Index k, Index bad,
                                                     Index bad_column) {
    return a.row_ptr.visit([&](const auto* row_ptr) -> ::testing::AssertionResult {
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index* const begin = a.col_idx.data() + row_ptr[i];
            const Index* const end = a.col_idx.data() + row_ptr[i + 1];
            const bool refers = std::find(begin, end, bad) != end;
            for (Index j = 0; j < k; ++j) {
                if (std::isnan(y[Size{i} * k + j]) != (refers && j == bad_column)) {
                    return ::testing::AssertionFailure() << "Y(" << i << ", " << j << ") = " << y[Size{i} * k + j];
                }
            }
        }
        return ::testing::AssertionSuccess();
    });
}

}  // namespace stiefel::test
