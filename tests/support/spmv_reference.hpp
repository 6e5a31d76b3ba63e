#pragma once

#include "support/bounds.hpp"
#include "support/matrices.hpp"

#include "stiefel/spmv/kernel_list.hpp"

#include <cmath>
#include <vector>

namespace stiefel::test {

/// Gives f small matrices: empty rows, a full row, more columns than rows and more rows than columns, nothing at all.
template <class T, class F>
void for_each_small_csr(F&& f) {
    for (const Index n : {0, 1, 31, 32, 33, 1000}) {
        f(random_csr<T>({.n_rows = n, .n_cols = n, .full_row = n / 2, .seed = 1}));
        f(random_csr<T>({.n_rows = n, .n_cols = 3 * n + 1, .mean_row = 9, .empty_rows = false, .seed = 2}));
        f(random_csr<T>({.n_rows = 2 * n + 1, .n_cols = n, .mean_row = 2, .seed = 3}));
    }
}

/// y = alpha A x + beta y and <x, y> in extended precision, with how far a computation in T may be from them.
struct SpmvReference {
    std::vector<long double> y;
    std::vector<long double> y_bound;
    long double dot = 0;
    long double dot_bound = 0;
};

template <class T>
SpmvReference spmv_reference(const HostCsr<T>& a, const HostVector<T>& x, const HostVector<T>& y, T alpha, T beta) {
    SpmvReference reference;
    const bool square = a.n_rows == a.n_cols;
    long double dot_absolutes = 0;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            long double sum = 0;
            long double absolutes = 0;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const long double term = static_cast<long double>(a.values[k]) * x[a.col_idx[k]];
                sum += term;
                absolutes += std::abs(term);
            }
            sum *= alpha;
            absolutes *= std::abs(static_cast<long double>(alpha));
            if (beta != T{0}) {
                sum += static_cast<long double>(beta) * y[i];
                absolutes += std::abs(static_cast<long double>(beta) * y[i]);
            }
            reference.y.push_back(sum);
            reference.y_bound.push_back(sum_bound<T>(static_cast<long double>(row_ptr[i + 1] - row_ptr[i]), absolutes));
            if (!square) continue;
            reference.dot += sum * x[i];
            reference.dot_bound += reference.y_bound.back() * std::abs(static_cast<long double>(x[i]));
            dot_absolutes += std::abs(sum * x[i]);
        }
    });
    reference.dot_bound += sum_bound<double>(a.n_rows, dot_absolutes);
    return reference;
}

template <class T>
void expect_within(const HostVector<T>& y, const SpmvReference& reference) {
    ASSERT_EQ(static_cast<std::size_t>(y.size()), reference.y.size());
    for (Size i = 0; i < y.size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        ASSERT_TRUE(within(y[i], reference.y[row], reference.y_bound[row])) << "row " << i;
    }
}

}  // namespace stiefel::test
