#include "stiefel/preconditioner/triangular/expansion.hpp"

#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiefel::triangular {

namespace {

/// N, by rows as they are numbered.
template <class T>
HostCsr<T> scaled_rows(const LevelTriangle<T>& a, const HostVector<T>& inverse) {
    const Index n = a.n_rows();
    HostVector<Size> start(Size{n} + 1, 0);
    for (Index k = 0; k < n; ++k) start[a.row[k] + 1] = a.row_start[k + 1] - a.row_start[k];
    for (Index i = 0; i < n; ++i) start[i + 1] += start[i];
    HostCsr<T> rows{.n_rows = n, .n_cols = n};
    rows.col_idx = HostVector<Index>(a.cols.size());
    rows.values = HostVector<T>(a.values.size());
    for (Index k = 0; k < n; ++k) {
        const Index i = a.row[k];
        Size to = start[i];
        for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e, ++to) {
            rows.col_idx[to] = a.cols[e];
            rows.values[to] = a.values[e] * inverse[i];
        }
    }
    rows.row_ptr = RowOffsets<HostMemory>(std::move(start));
    return rows;
}

/// I + factor A, for A with entries on one side of the diagonal alone.
template <class T>
HostCsr<T> plus_identity(const HostCsr<T>& a, T factor, Side side) {
    const Index n = a.n_rows;
    HostCsr<T> sum{.n_rows = n, .n_cols = n};
    sum.col_idx = HostVector<Index>(a.nnz() + n);
    sum.values = HostVector<T>(a.nnz() + n);
    HostVector<Size> start(Size{n} + 1);
    a.row_ptr.visit([&](const auto* row_ptr) {
        Size to = 0;
        const auto put = [&](Index col, T value) {
            sum.col_idx[to] = col;
            sum.values[to++] = value;
        };
        for (Index i = 0; i < n; ++i) {
            start[i] = to;
            if (side == Side::upper) put(i, T{1});
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) put(a.col_idx[e], factor * a.values[e]);
            if (side == Side::lower) put(i, T{1});
        }
        start[n] = to;
    });
    sum.row_ptr = RowOffsets<HostMemory>(std::move(start));
    return sum;
}

}  // namespace

template <class T>
Expansion<T> expanded(const LevelTriangle<T>& a, const HostVector<T>& inverse, Side side, int steps) {
    OpenMP host;
    const HostCsr<T> n = scaled_rows(a, inverse);
    HostCsr<T> early = plus_identity(n, T{-1}, side);
    HostCsr<T> power = spgemm(host, n, n);
    for (int step = 1; step < steps; ++step) {
        early = spgemm(host, plus_identity(power, T{1}, side), early);
        power = spgemm(host, power, power);
    }
    for (Size e = 0; e < early.nnz(); ++e) early.values[e] *= inverse[early.col_idx[e]];
    for (T& value : power.values) value = -value;
    return {.early = std::move(early), .late = in_levels(power, side)};
}

template <class T>
double growth(const LevelTriangle<T>& a, const HostVector<T>& inverse) {
    HostVector<double> sums(a.n_rows()), grown(a.n_rows());
    double largest = 0;
    for (Index k = 0; k < a.n_rows(); ++k) {
        const Index i = a.row[k];
        double sum = 0, of_sums = 0, of_grown = 0;
        for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e) {
            const double size = std::abs(static_cast<double>(a.values[e]) * static_cast<double>(inverse[i]));
            sum += size;
            of_sums += size * sums[a.cols[e]];
            of_grown += size * grown[a.cols[e]];
        }
        sums[i] = sum;
        grown[i] = 1 + 2 * sum + of_sums + of_grown;
        largest = std::max(largest, grown[i]);
    }
    return largest;
}

template Expansion<double> expanded(const LevelTriangle<double>&, const HostVector<double>&, Side, int);
template Expansion<float> expanded(const LevelTriangle<float>&, const HostVector<float>&, Side, int);
template double growth(const LevelTriangle<double>&, const HostVector<double>&);
template double growth(const LevelTriangle<float>&, const HostVector<float>&);

}  // namespace stiefel::triangular
