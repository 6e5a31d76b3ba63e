#include "stiefel/preconditioner/triangular/level_triangle.hpp"

#include <algorithm>
#include <utility>

namespace stiefel::triangular {

namespace {

std::size_t at(Size k) {
    return static_cast<std::size_t>(k);
}

/// `of(row, f)` calls f(column, value) for the entries of a row beside the diagonal, whose columns come before it;
/// `nth(k)` is the row that comes k-th.
template <class T, class Nth, class Of>
LevelTriangle<T> in_order_of_levels(Index n, Size nonzeros, Nth&& nth, Of&& of) {
    HostVector<Index> level(n);
    Index n_levels = 0;
    for (Index k = 0; k < n; ++k) {
        const Index i = nth(k);
        Index own = 0;
        of(i, [&](Index j, T) { own = std::max(own, level[j] + 1); });
        level[i] = own;
        n_levels = std::max(n_levels, own + 1);
    }
    LevelTriangle<T> triangle{.level_start = HostVector<Index>(Size{n_levels} + 1, 0),
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

}  // namespace

template <class T>
LevelTriangles<T> in_levels(const LowerColumns<T>& l) {
    const Index n = l.n;
    LevelTriangles<T> triangles{.inverse = HostVector<T>(n)};
    HostVector<Size> start(Size{n} + 1, 0);
    for (const Index i : l.rows) ++start[i + 1];
    for (Index i = 0; i < n; ++i) start[i + 1] += start[i] - 1;  // without the diagonal
    HostVector<Index> cols(start[n]);
    HostVector<T> values(start[n]);
    HostVector<Size> next = start.clone();
    for (Index j = 0; j < n; ++j) {
        const Size first = l.start[at(j)], last = l.start[at(Size{j} + 1)];
        triangles.inverse[j] = T{1} / l.values[at(first)];
        for (Size k = first + 1; k < last; ++k) {
            const Size place = next[l.rows[at(k)]]++;
            cols[place] = j;
            values[place] = l.values[at(k)];
        }
    }
    triangles.lower = in_order_of_levels<T>(
        n, start[n], [](Index k) { return k; },
        [&](Index i, auto&& f) {
            for (Size k = start[i]; k < start[i + 1]; ++k) f(cols[k], values[k]);
        });
    triangles.upper = in_order_of_levels<T>(
        n, start[n], [n](Index k) { return n - 1 - k; },
        [&](Index i, auto&& f) {
            for (Size k = l.start[at(i)] + 1; k < l.start[at(Size{i} + 1)]; ++k) f(l.rows[at(k)], l.values[at(k)]);
        });
    return triangles;
}

template LevelTriangles<double> in_levels(const LowerColumns<double>&);
template LevelTriangles<float> in_levels(const LowerColumns<float>&);

}  // namespace stiefel::triangular
