#pragma once

#include "stiefel/preconditioner/triangular/level_triangle.hpp"

#include <algorithm>

namespace stiefel::triangular {

/// A triangle of `nonzeros` entries beside the diagonal, for so many threads. `nth(k)` is the row that may come k-th;
/// `of(row, f)` calls f(column, value) for the entries of a row, whose columns are rows that come before it. Rows of a
/// level stay in the order in which they may come; where levels do not pay, all rows do.
template <class T, class Nth, class Of>
LevelTriangle<T> in_order_of_levels(Index n, Size nonzeros, int threads, Nth&& nth, Of&& of) {
    HostVector<Index> level(n);
    Index n_levels = 0;
    for (Index k = 0; k < n; ++k) {
        const Index i = nth(k);
        Index own = 0;
        of(i, [&](Index j, T) { own = std::max(own, level[j] + 1); });
        level[i] = own;
        n_levels = std::max(n_levels, own + 1);
    }
    const Index level_sets = n_levels;
    if (!levels_pay(n / std::max<Size>(1, level_sets), threads)) {
        std::fill(level.begin(), level.end(), 0);
        n_levels = std::min<Index>(1, n_levels);
    }
    LevelTriangle<T> triangle{.level_sets = level_sets,
                              .level_start = HostVector<Index>(Size{n_levels} + 1, 0),
                              .row = HostVector<Index>(n),
                              .row_start = HostVector<Size>(Size{n} + 1),
                              .cols = HostVector<Index>(nonzeros),
                              .values = HostVector<T>(nonzeros)};
    for (Index i = 0; i < n; ++i) ++triangle.level_start[level[i] + 1];
    for (Index l = 0; l < n_levels; ++l) triangle.level_start[l + 1] += triangle.level_start[l];
    HostVector<Index> next(n_levels);
    std::copy_n(triangle.level_start.begin(), n_levels, next.begin());
    for (Index k = 0; k < n; ++k) triangle.row[next[level[nth(k)]]++] = nth(k);
    Size place = 0;
    for (Index k = 0; k < n; ++k) {
        triangle.row_start[k] = place;
        of(triangle.row[k], [&](Index j, T value) {
            triangle.cols[place] = j;
            triangle.values[place++] = value;
        });
    }
    triangle.row_start[n] = place;
    return triangle;
}

}  // namespace stiefel::triangular
