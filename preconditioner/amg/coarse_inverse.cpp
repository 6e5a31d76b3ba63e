#include "stiefel/preconditioner/amg/coarse_inverse.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stiefel::amg {

namespace {

/// A square matrix, row after row.
struct Dense {
    Index n;
    HostVector<double> values;

    double* row(Index i) { return values.data() + Size{i} * n; }
};

Dense to_dense(const HostCsr<double>& a) {
    Dense dense{a.n_rows, HostVector<double>(Size{a.n_rows} * a.n_rows, 0.0)};
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) dense.row(i)[a.col_idx[k]] = a.values[k];
        }
    });
    return dense;
}

/// target[j] += sum of factor[k] row[k][j] for 0 <= j < n: what is written is read and written once for all rows.
constexpr Index rows_at_once = 4;
void add_rows(double* target, Index n, const std::array<const double*, rows_at_once>& row,
              const std::array<double, rows_at_once>& factor) {
#pragma omp simd
    for (Index j = 0; j < n; ++j) {
        target[j] += factor[0] * row[0][j] + factor[1] * row[1][j] + factor[2] * row[2][j] + factor[3] * row[3][j];
    }
}

/// The lower triangle of A becomes that of L^-1, A = L L', column by column of L; rows of pivots that count as zero are
/// zero in it.
void invert_factor(Dense& a) {
    constexpr double least = 1e-11;
    Dense inverse{a.n, HostVector<double>(a.values.size(), 0.0)};
    for (Index i = 0; i < a.n; ++i) {
        double* const row = a.row(i);
        double* const inverted = inverse.row(i);
        // Row i of L from those before it, by their inverse: l_i = (a_i0 .. a_i,i-1) L^-T.
        double pivot = row[i];
        for (Index j = 0; j < i; ++j) {
            const double* const other = inverse.row(j);
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (Index k = 0; k <= j; ++k) sum += row[k] * other[k];
            inverted[j] = sum;
        }
        for (Index j = 0; j < i; ++j) pivot -= inverted[j] * inverted[j];
        const bool is_zero = !(pivot > least * row[i]);
        const double scale = is_zero ? 0 : 1 / std::sqrt(pivot);
        // l_i is in inverted[0 .. i - 1]; row i of L^-1 is -scale l_i L^-1 and scale.
        HostVector<double> l(i);
        for (Index j = 0; j < i; ++j) l[j] = inverted[j];
        for (Index j = 0; j < i; ++j) inverted[j] = 0;
        for (Index k = 0; k < i; k += rows_at_once) {
            std::array<const double*, rows_at_once> row_of;
            std::array<double, rows_at_once> factor;
            for (Index m = 0; m < rows_at_once; ++m) {
                const bool there = k + m < i;
                row_of[static_cast<std::size_t>(m)] = inverse.row(there ? k + m : k);
                factor[static_cast<std::size_t>(m)] = there ? -scale * l[k + m] : 0;
            }
            add_rows(inverted, std::min(k + rows_at_once, i), row_of, factor);
        }
        inverted[i] = scale;
    }
    a = std::move(inverse);
}

}  // namespace

HostCsr<double> coarse_inverse(const HostCsr<double>& a) {
    const Index n = a.n_rows;
    Dense factor = to_dense(a);
    invert_factor(factor);
    HostVector<std::int32_t> row_ptr(Size{n} + 1);
    HostCsr<double> inverse{.n_rows = n,
                            .n_cols = n,
                            .col_idx = HostVector<Index>(Size{n} * n),
                            .values = HostVector<double>(Size{n} * n, 0.0)};
    for (Index i = 0; i <= n; ++i) row_ptr[i] = i * n;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) inverse.col_idx[Size{i} * n + j] = j;
    }
    for (Index k = 0; k < n; k += rows_at_once) {  // L^-T L^-1, its lower triangle
        const Index end = std::min(k + rows_at_once, n);
        std::array<const double*, rows_at_once> row;
        for (Index m = 0; m < rows_at_once; ++m) row[static_cast<std::size_t>(m)] = factor.row(std::min(k + m, n - 1));
        for (Index i = 0; i < end; ++i) {
            std::array<double, rows_at_once> of_i;
            for (Index m = 0; m < rows_at_once; ++m) {
                of_i[static_cast<std::size_t>(m)] = k + m < n ? row[static_cast<std::size_t>(m)][i] : 0;
            }
            add_rows(inverse.values.data() + Size{i} * n, i + 1, row, of_i);
        }
    }
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) inverse.values[Size{j} * n + i] = inverse.values[Size{i} * n + j];
    }
    inverse.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    return inverse;
}

}  // namespace stiefel::amg
