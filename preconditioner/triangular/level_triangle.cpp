#include "stiefel/preconditioner/triangular/level_triangle.hpp"

#include "stiefel/preconditioner/triangular/order_of_levels.hpp"

#include <utility>

namespace stiefel::triangular {

namespace {

std::size_t at(Size k) {
    return static_cast<std::size_t>(k);
}

}  // namespace

template <class T>
LevelTriangles<T> in_levels(const LowerColumns<T>& l, int threads) {
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
        n, start[n], threads, [](Index k) { return k; },
        [&](Index i, auto&& f) {
            for (Size k = start[i]; k < start[i + 1]; ++k) f(cols[k], values[k]);
        });
    triangles.upper = in_order_of_levels<T>(
        n, start[n], threads, [n](Index k) { return n - 1 - k; },
        [&](Index i, auto&& f) {
            for (Size k = l.start[at(i)] + 1; k < l.start[at(Size{i} + 1)]; ++k) f(l.rows[at(k)], l.values[at(k)]);
        });
    return triangles;
}

template LevelTriangles<double> in_levels(const LowerColumns<double>&, int);
template LevelTriangles<float> in_levels(const LowerColumns<float>&, int);

}  // namespace stiefel::triangular
