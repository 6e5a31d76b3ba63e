#include "stiefel/preconditioner/triangular/cuda/slices.hpp"

#include <algorithm>
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

/// `place_of`: of each row; source and row are left to the caller.
template <class T>
DeviceTriangle<T> brought(Cuda& backend, const LevelTriangle<T>& a, const SliceOrder& order,
                          const HostVector<Index>& place_of, const HostVector<T>& inverse) {
    const Index n = a.n_rows();
    DeviceTriangle<T> there{.level_start = a.level_start.clone()};
    HostVector<Index> level(n), cols(a.cols.size());
    HostVector<Size> start(Size{n} + 1);
    HostVector<T> values(a.values.size()), divisors(n);
    Size entry = 0;
    Index own_level = 0;
    for (Index place = 0; place < n; ++place) {
        const Index k = order.nth[place];
        while (a.level_start[own_level + 1] <= place) ++own_level;
        level[place] = own_level;
        divisors[place] = inverse[a.row[k]];
        start[place] = entry;
        for (Size e = a.row_start[k]; e < a.row_start[k + 1]; ++e, ++entry) {
            cols[entry] = place_of[a.cols[e]];
            values[entry] = a.values[e] * divisors[place];
        }
        there.longest_row = std::max(there.longest_row, static_cast<Index>(entry - start[place]));
    }
    start[n] = entry;
    there.level = uploaded(backend, level);
    there.start = uploaded(backend, start);
    there.cols = uploaded(backend, cols);
    there.values = uploaded(backend, values);
    there.inverse = uploaded(backend, divisors);
    there.slices = uploaded(backend, order.slices.data(), static_cast<Size>(order.slices.size()));
    return there;
}

/// Bytes of both triangles: those of DeviceTriangle, but for slices as many as can be.
template <class T>
Size bytes_of(const LevelTriangles<T>& triangles) {
    const Size n = triangles.n_rows(), entries = triangles.lower.values.size();
    return 2 * (entries * static_cast<Size>(sizeof(T) + sizeof(Index)) +
                n * static_cast<Size>(3 * sizeof(Index) + sizeof(Size) + sizeof(T) + sizeof(Slice)));
}

}  // namespace

template <class T>
DeviceTriangles<T> to_device(Cuda& backend, const LevelTriangles<T>& triangles) {
    backend.require_free("the triangles of ic", bytes_of(triangles));
    const SliceOrder lower_order = in_slices(triangles.lower), upper_order = in_slices(triangles.upper);
    const HostVector<Index> lower_rows = rows_of(triangles.lower, lower_order);
    const HostVector<Index> upper_rows = rows_of(triangles.upper, upper_order);
    const HostVector<Index> lower_place = inverse_permutation(lower_rows);
    HostVector<Index> upper_source(upper_rows.size());
    for (Size place = 0; place < upper_source.size(); ++place) upper_source[place] = lower_place[upper_rows[place]];
    DeviceTriangles<T> there;
    there.lower = brought(backend, triangles.lower, lower_order, lower_place, triangles.inverse);
    there.upper = brought(backend, triangles.upper, upper_order, inverse_permutation(upper_rows), triangles.inverse);
    there.lower.source = uploaded(backend, lower_rows);
    there.upper.source = uploaded(backend, upper_source);
    there.upper.row = uploaded(backend, upper_rows);
    return there;
}

template DeviceTriangles<double> to_device(Cuda&, const LevelTriangles<double>&);
template DeviceTriangles<float> to_device(Cuda&, const LevelTriangles<float>&);

}  // namespace stiefel::triangular
