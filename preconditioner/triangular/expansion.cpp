#include "stiefel/preconditioner/triangular/expansion.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiefel::triangular {

namespace {

/// N's entries (row, column) for which it is so.
template <class T, class IsTaken>
HostCsr<T> scaled_rows_where(const LevelTriangle<T>& a, const HostVector<T>& inverse, const IsTaken& is_taken) {
    OpenMP host;
    const Index n = a.n_rows();
    HostVector<Size> start(Size{n} + 1, 0);
#pragma omp parallel for num_threads(host.threads()) schedule(static)
    for (Index k = 0; k < n; ++k) {
        Size count = 0;
        for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e) count += is_taken(a.row[k], a.cols[e]) ? 1 : 0;
        start[a.row[k] + 1] = count;
    }
    for (Index i = 0; i < n; ++i) start[i + 1] += start[i];
    HostCsr<T> rows{.n_rows = n, .n_cols = n};
    rows.col_idx = HostVector<Index>(start[n]);
    rows.values = HostVector<T>(start[n]);
#pragma omp parallel for num_threads(host.threads()) schedule(static)
    for (Index k = 0; k < n; ++k) {
        const Index i = a.row[k];
        Size to = start[i];
        for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e) {
            if (!is_taken(i, a.cols[e])) continue;
            rows.col_idx[to] = a.cols[e];
            rows.values[to++] = a.values[e] * inverse[i];
        }
    }
    rows.row_ptr = row_offsets(host, std::move(start));
    return rows;
}

}  // namespace

double Expansion::error_growth(double growth) const {
    return (inverts_blocks ? 4 : 1) * std::pow(growth, steps);
}

template <class T>
HostCsr<T> scaled_rows(const LevelTriangle<T>& a, const HostVector<T>& inverse) {
    return scaled_rows_where(a, inverse, [](Index, Index) { return true; });
}

template <class T>
SplitByBlocks<T> split_by_blocks(const LevelTriangle<T>& a, const HostVector<T>& inverse, int p) {
    HostVector<Index> block(a.n_rows());
    for (Index level = 0; level < a.n_levels(); ++level) {
        for (Index k = a.level_start[level]; k < a.level_start[level + 1]; ++k) block[a.row[k]] = level / p;
    }
    return {scaled_rows_where(a, inverse, [&](Index i, Index j) { return block[i] == block[j]; }),
            scaled_rows_where(a, inverse, [&](Index i, Index j) { return block[i] != block[j]; })};
}

template <class T>
LevelOrder merged_levels(const LevelTriangle<T>& a, Side side, int p) {
    const Index n = a.n_rows(), levels = (a.n_levels() + p - 1) / p;
    LevelOrder merged{.level_start = HostVector<Index>(Size{levels} + 1), .row = HostVector<Index>(n)};
    HostVector<Index> level_of(n), next(levels);
    for (Index level = 0; level < levels; ++level) {
        merged.level_start[level] = next[level] = a.level_start[level * p];
        const Index end = a.level_start[std::min(a.n_levels(), (level + 1) * p)];
        for (Index k = next[level]; k < end; ++k) level_of[a.row[k]] = level;
    }
    merged.level_start[levels] = n;
    for (Index k = 0; k < n; ++k) {
        const Index i = side == Side::lower ? k : n - 1 - k;
        merged.row[next[level_of[i]]++] = i;
    }
    return merged;
}

template <class T>
double growth(const LevelTriangle<T>& a, const HostVector<T>& inverse) {
    constexpr Index rows_to_share = 400;  // of a level, in the mean
    const OpenMP host;
    const bool is_shared = a.n_rows() / std::max<Index>(a.n_levels(), 1) >= rows_to_share;
    HostVector<double> sums(a.n_rows()), grown(a.n_rows());
    double largest = 0;
#pragma omp parallel num_threads(is_shared ? host.threads() : 1) reduction(max : largest)
    for (Index level = 0; level < a.n_levels(); ++level) {
#pragma omp for schedule(static)
        for (Index k = a.level_start[level]; k < a.level_start[level + 1]; ++k) {
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
    }
    return largest;
}

template HostCsr<double> scaled_rows(const LevelTriangle<double>&, const HostVector<double>&);
template HostCsr<float> scaled_rows(const LevelTriangle<float>&, const HostVector<float>&);
template SplitByBlocks<double> split_by_blocks(const LevelTriangle<double>&, const HostVector<double>&, int);
template SplitByBlocks<float> split_by_blocks(const LevelTriangle<float>&, const HostVector<float>&, int);
template LevelOrder merged_levels(const LevelTriangle<double>&, Side, int);
template LevelOrder merged_levels(const LevelTriangle<float>&, Side, int);
template double growth(const LevelTriangle<double>&, const HostVector<double>&);
template double growth(const LevelTriangle<float>&, const HostVector<float>&);

}  // namespace stiefel::triangular
