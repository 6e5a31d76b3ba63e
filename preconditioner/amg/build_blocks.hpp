#pragma once

#include "stiefel/preconditioner/amg/block_matrix.hpp"
#include "stiefel/spmv/scan.hpp"

#include <omp.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace stiefel::amg {

/// Y += A X for A: height x inner and X: inner x width, row after row. Square is height and inner, Width is width; 0
/// where they are known at run time only.
template <int Square, int Width>
void add_block_product(Index height, Index inner, Index width, const double* a, const double* x, double* y) {
    const Index h = Square > 0 ? Square : height, n = Square > 0 ? Square : inner, w = Width > 0 ? Width : width;
#pragma GCC unroll 6
    for (Index i = 0; i < h; ++i) {
#pragma GCC unroll 6
        for (Index k = 0; k < n; ++k) {
            const double factor = a[i * n + k];
#pragma GCC unroll 6
            for (Index j = 0; j < w; ++j) y[i * w + j] += factor * x[k * w + j];
        }
    }
}

/// f(width as constant), 0 for those that are not usual.
template <class F>
void with_width(Index width, F&& f) {
    switch (width) {
        case 1:
            return f(std::integral_constant<int, 1>{});
        case 2:
            return f(std::integral_constant<int, 2>{});
        case 3:
            return f(std::integral_constant<int, 3>{});
        case 6:
            return f(std::integral_constant<int, 6>{});
        default:
            return f(std::integral_constant<int, 0>{});
    }
}

/// f(square, width as constants), 0 for those that are not usual, of height x inner blocks times those of this width.
template <class F>
void with_product_shape(Index height, Index inner, Index width, F&& f) {
    using Three = std::integral_constant<int, 3>;
    using Six = std::integral_constant<int, 6>;
    const Index square = height == inner ? height : 0;
    if (square == 3 && width == 3) return f(Three{}, Three{});
    if (square == 3 && width == 6) return f(Three{}, Six{});
    if (square == 6 && width == 6) return f(Six{}, Six{});
    with_width(width, [&](auto constant) { f(std::integral_constant<int, 0>{}, constant); });
}

/// The row of a matrix that is being built: the block in a column that it has, and all blocks, one behind the other.
struct BlockRow {
    BlockMatrix& matrix;
    const Size* place;
    Size first, last;

    double* operator()(Index column) const { return matrix.block(place[column]); }
    double* begin() const { return matrix.block(first); }
    double* end() const { return matrix.block(last); }
};

/// A matrix whose rows of blocks are found one by one, in parallel: for_columns(i, see) calls see(column) for all of
/// row i, repeated ones too; then fill(i, row) adds to its blocks, which begin as zeros. Both are called from several
/// threads, for_columns twice for each row; neither may throw.
template <class ForColumns, class Fill>
BlockMatrix build_blocks(OpenMP& backend, Index n_rows, Index n_cols, Index height, Index width,
                         const ForColumns& for_columns, const Fill& fill) {
    BlockMatrix m{.n_rows = n_rows,
                  .n_cols = n_cols,
                  .height = height,
                  .width = width,
                  .row_ptr = HostVector<Size>(Size{n_rows} + 1, 0),
                  .col_idx = {},
                  .values = {}};
    // For each thread, of every column: the last row that was seen to have it; then its place in the row at hand, or
    // -1.
    std::vector<HostVector<Size>> places;
    for (int t = 0; t < backend.threads(); ++t) places.emplace_back(n_cols, Size{-1});
    const auto for_rows = [&](const auto& f) {
#pragma omp parallel num_threads(backend.threads()) if (n_rows > 256)
        {
            Size* const place = places[static_cast<std::size_t>(omp_get_thread_num())].data();
#pragma omp for schedule(dynamic, 256)
            for (Index i = 0; i < n_rows; ++i) f(i, place);
        }
    };
    for_rows([&](Index i, Size* seen_by) {
        Size count = 0;
        for_columns(i, [&](Index column) { count += std::exchange(seen_by[column], Size{i}) != i; });
        m.row_ptr[Size{i} + 1] = count;
    });
    inclusive_scan(backend, m.row_ptr.data(), m.row_ptr.size());
    m.col_idx = HostVector<Index>(m.row_ptr[n_rows]);
    m.values = HostVector<double>(m.row_ptr[n_rows] * m.block_size());
    for (auto& place : places) std::fill(place.begin(), place.end(), Size{-1});
    for_rows([&](Index i, Size* place) {
        const Size first = m.row_ptr[i];
        Size last = first;
        for_columns(i, [&](Index column) {
            if (std::exchange(place[column], 0) < 0) m.col_idx[last++] = column;
        });
        std::sort(m.col_idx.data() + first, m.col_idx.data() + last);
        for (Size k = first; k < last; ++k) place[m.col_idx[k]] = k;
        const BlockRow row{m, place, first, last};
        std::fill(row.begin(), row.end(), 0.0);
        fill(i, row);
        for (Size k = first; k < last; ++k) place[m.col_idx[k]] = -1;
    });
    return m;
}

}  // namespace stiefel::amg
