#include "stiefel/preconditioner/triangular/cuda/slices.hpp"
#include "stiefel/preconditioner/triangular/expansion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stiefel::triangular {

namespace {

template <class T>
DeviceVector<T> uploaded(Cuda& backend, const T* from, Size n) {
    DeviceVector<T> to(backend, n);
    backend.upload_bytes(to.data(), from, to.bytes());
    return to;
}
template <class T>
DeviceVector<T> uploaded(Cuda& backend, const HostVector<T>& from) {
    return uploaded(backend, from.data(), from.size());
}

HostVector<Index> inverse_permutation(const HostVector<Index>& p) {
    HostVector<Index> inverse(p.size());
    for (Index i = 0; i < static_cast<Index>(p.size()); ++i) inverse[p[i]] = i;
    return inverse;
}

/// The row of each place.
template <class T>
HostVector<Index> rows_of(const LevelTriangle<T>& a, const SliceOrder& order) {
    HostVector<Index> rows(order.nth.size());
    for (Size place = 0; place < rows.size(); ++place) rows[place] = a.row[order.nth[place]];
    return rows;
}

/// A triangle with all that its places are made of.
template <class T>
struct Placed {
    const LevelTriangle<T>& a;
    SliceOrder order = in_slices(a);
    HostVector<Index> row = rows_of(a, order);
    HostVector<Index> place_of = inverse_permutation(row);
};

/// inverse: what rows are multiplied by; by_diagonal: entries as well, which else have been.
template <class T>
DeviceTriangle<T> brought(Cuda& backend, const Placed<T>& placed, const HostVector<T>& inverse, bool by_diagonal) {
    const LevelTriangle<T>& a = placed.a;
    const Index n = a.n_rows();
    DeviceTriangle<T> there{.level_start = a.level_start.clone()};
    HostVector<Index> level(n), cols(a.cols.size());
    HostVector<Size> start(Size{n} + 1);
    HostVector<T> values(a.values.size()), divisors(n);
    Size entry = 0;
    Index own_level = 0;
    for (Index place = 0; place < n; ++place) {
        const Index k = placed.order.nth[place];
        while (a.level_start[own_level + 1] <= place) ++own_level;
        level[place] = own_level;
        divisors[place] = inverse[a.row[k]];
        const T factor = by_diagonal ? divisors[place] : T{1};
        start[place] = entry;
        for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e, ++entry) {
            cols[entry] = placed.place_of[a.cols[e]];
            values[entry] = a.values[e] * factor;
        }
        there.longest_row = std::max(there.longest_row, static_cast<Index>(entry - start[place]));
    }
    start[n] = entry;
    there.level = uploaded(backend, level);
    there.start = uploaded(backend, start);
    there.cols = uploaded(backend, cols);
    there.values = uploaded(backend, values);
    there.inverse = uploaded(backend, divisors);
    there.slices = uploaded(backend, placed.order.slices.data(), static_cast<Size>(placed.order.slices.size()));
    return there;
}

/// source_of: of the right-hand side of each row.
template <class T>
void bring_early(Cuda& backend, const HostCsr<T>& early, const HostVector<Index>& row,
                 const HostVector<Index>& source_of, DeviceTriangle<T>& there) {
    HostVector<Size> start(row.size() + 1);
    HostVector<Index> cols(early.nnz());
    HostVector<T> values(early.nnz());
    Size entry = 0;
    early.row_ptr.visit([&](const auto* row_ptr) {
        for (Size place = 0; place < row.size(); ++place) {
            start[place] = entry;
            for (Size e = row_ptr[row[place]]; e < row_ptr[row[place] + 1]; ++e, ++entry) {
                cols[entry] = source_of[early.col_idx[e]];
                values[entry] = early.values[e];
            }
        }
    });
    start[row.size()] = entry;
    there.early_start = uploaded(backend, start);
    there.early_cols = uploaded(backend, cols);
    there.early_values = uploaded(backend, values);
}

/// Bytes of a DeviceTriangle, with as many slices as there can be.
template <class T>
Size bytes_of(const LevelTriangle<T>& a, Size early_entries) {
    return (a.values.size() + early_entries) * static_cast<Size>(sizeof(T) + sizeof(Index)) +
           a.n_rows() * static_cast<Size>(3 * sizeof(Index) + 2 * sizeof(Size) + sizeof(T) + sizeof(Slice));
}

HostVector<Index> counted(Size n) {
    HostVector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// bring(placed, side, source_of): a triangle but for source and row, where right-hand sides of rows lie at source_of.
template <class T, class Bring>
DeviceTriangles<T> both(Cuda& backend, const LevelTriangle<T>& lower, const LevelTriangle<T>& upper, Bring&& bring) {
    const Placed<T> first{lower}, second{upper};
    HostVector<Index> source(second.row.size());
    for (Size place = 0; place < source.size(); ++place) source[place] = first.place_of[second.row[place]];
    DeviceTriangles<T> there{.lower = bring(first, Side::lower, counted(first.row.size())),
                             .upper = bring(second, Side::upper, first.place_of)};
    there.lower.source = uploaded(backend, first.row);
    there.upper.source = uploaded(backend, source);
    there.upper.row = uploaded(backend, second.row);
    return there;
}

}  // namespace

template <class T>
DeviceTriangles<T> to_device(Cuda& backend, const LevelTriangles<T>& triangles, int steps) {
    const HostVector<T>& inverse = triangles.inverse;
    if (steps == 0) {
        backend.require_free("the triangles of ic", bytes_of(triangles.lower, 0) + bytes_of(triangles.upper, 0));
        return both(backend, triangles.lower, triangles.upper,
                    [&](const Placed<T>& placed, Side, const HostVector<Index>&) {
                        return brought(backend, placed, inverse, true);
                    });
    }
    const Expansion<T> lower = expanded(triangles.lower, inverse, Side::lower, steps);
    const Expansion<T> upper = expanded(triangles.upper, inverse, Side::upper, steps);
    backend.require_free("the triangles of ic",
                         bytes_of(lower.late, lower.early.nnz()) + bytes_of(upper.late, upper.early.nnz()));
    return both(backend, lower.late, upper.late,
                [&](const Placed<T>& placed, Side side, const HostVector<Index>& source_of) {
                    DeviceTriangle<T> there = brought(backend, placed, inverse, false);
                    bring_early(backend, (side == Side::lower ? lower : upper).early, placed.row, source_of, there);
                    return there;
                });
}

template DeviceTriangles<double> to_device(Cuda&, const LevelTriangles<double>&, int);
template DeviceTriangles<float> to_device(Cuda&, const LevelTriangles<float>&, int);

}  // namespace stiefel::triangular
