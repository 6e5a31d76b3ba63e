#include "stiefel/preconditioner/triangular/cuda/placed_rows.hpp"
#include "stiefel/preconditioner/triangular/cuda/slices.hpp"
#include "stiefel/preconditioner/triangular/expansion.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

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

HostVector<Index> counted(Size n) {
    HostVector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

HostVector<Index> inverse_permutation(const HostVector<Index>& p) {
    HostVector<Index> inverse(p.size());
    for (Index i = 0; i < static_cast<Index>(p.size()); ++i) inverse[p[i]] = i;
    return inverse;
}

/// Where the rows of a triangle come to lie.
struct Placed {
    /// level_start, row: the order of levels; length: of rows in it.
    Placed(const HostVector<Index>& starts, const HostVector<Index>& rows, const HostVector<Size>& length)
        : level_start(starts.clone()), order(in_slices(starts, length)), row(rows.size()), level(rows.size()) {
        for (Size place = 0; place < row.size(); ++place) row[place] = rows[order.nth[place]];
        place_of = inverse_permutation(row);
        for (Index l = 0; l + 1 < static_cast<Index>(starts.size()); ++l) {
            std::fill(level.data() + starts[l], level.data() + starts[l + 1], l);
        }
    }

    HostVector<Index> level_start;
    SliceOrder order;
    HostVector<Index> row;  ///< of each place, and its level
    HostVector<Index> level;
    HostVector<Index> place_of = {};  ///< of each row
};

/// A triangle but for its entries and its right-hand sides.
template <class T>
DeviceTriangle<T> brought_places(Cuda& backend, const Placed& placed, const HostVector<T>& inverse) {
    DeviceTriangle<T> there{.level_start = placed.level_start.clone()};
    HostVector<T> divisors(placed.row.size());
    for (Size place = 0; place < divisors.size(); ++place) divisors[place] = inverse[placed.row[place]];
    there.level = uploaded(backend, placed.level);
    there.inverse = uploaded(backend, divisors);
    there.slices = uploaded(backend, placed.order.slices.data(), static_cast<Size>(placed.order.slices.size()));
    return there;
}

/// The order of levels as they are, entries from the host.
template <class T>
class Substituted {
public:
    Substituted(const LevelTriangle<T>& a, const HostVector<T>& inverse)
        : a_(a), inverse_(inverse), placed_(a.level_start, a.row, lengths(a)) {}

    const Placed& placed() const { return placed_; }
    Size entries() const { return a_.values.size(); }

    DeviceTriangle<T> brought(Cuda& backend, const HostVector<Index>&) const {
        const Index n = a_.n_rows();
        DeviceTriangle<T> there = brought_places(backend, placed_, inverse_);
        HostVector<Index> cols(a_.cols.size());
        HostVector<Size> start(Size{n} + 1);
        HostVector<T> values(a_.values.size());
        Size entry = 0;
        for (Index place = 0; place < n; ++place) {
            const Index k = placed_.order.nth[place];
            start[place] = entry;
            for (Size e = a_.row_start[k]; e < a_.row_start[k + 1]; ++e, ++entry) {
                cols[entry] = placed_.place_of[a_.cols[e]];
                values[entry] = a_.values[e] * inverse_[a_.row[k]];
            }
            there.longest_row = std::max(there.longest_row, static_cast<Index>(entry - start[place]));
        }
        start[n] = entry;
        there.start = uploaded(backend, start);
        there.cols = uploaded(backend, cols);
        there.values = uploaded(backend, values);
        return there;
    }

private:
    static HostVector<Size> lengths(const LevelTriangle<T>& a) {
        HostVector<Size> length(a.n_rows());
        for (Index k = 0; k < a.n_rows(); ++k) length[k] = a.row_start[k + 1] - a.row_start[k];
        return length;
    }

    const LevelTriangle<T>& a_;
    const HostVector<T>& inverse_;
    Placed placed_;
};

/// N^0, N, N^2, ... N^p for p = 2^steps, on a device, rows as they are numbered.
template <class T>
std::vector<DeviceCsr<T>> powers(Cuda& backend, const HostCsr<T>& n, int steps) {
    HostCsr<T> identity{.n_rows = n.n_rows, .n_cols = n.n_rows};
    identity.col_idx = counted(n.n_rows);
    identity.values = HostVector<T>(n.n_rows, T{1});
    identity.row_ptr = RowOffsets<HostMemory>(counted(Size{n.n_rows} + 1));
    std::vector<DeviceCsr<T>> list;
    list.push_back(stiefel::to_device(backend, identity));
    list.push_back(stiefel::to_device(backend, n));
    for (std::size_t q = 2; q <= std::size_t{1} << steps; ++q) {
        list.push_back(spgemm(backend, list[q / 2], list[q - q / 2]));
    }
    return list;
}

HostVector<Size> row_starts(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr) {
    return row_ptr.visit_array([&]<class Offset>(const DeviceVector<Offset>& there) {
        HostVector<Offset> here(there.size());
        download(backend, there, here);
        HostVector<Size> starts(there.size());
        std::copy(here.begin(), here.end(), starts.begin());
        return starts;
    });
}

/// The expansion of 2^steps levels at a time. Its powers are made where they are needed.
template <class T>
class Expanded {
public:
    Expanded(Cuda& backend, const LevelTriangle<T>& a, const HostVector<T>& inverse, Side side, int steps)
        : inverse_(inverse),
          powers_(powers(backend, scaled_rows(a, inverse), steps)),
          starts_(starts_of(backend, powers_)),
          placed_(in_places(merged_levels(a, side, 1 << steps), starts_.back())) {}

    const Placed& placed() const { return placed_; }
    Size entries() const {
        Size sum = 0;
        for (const DeviceCsr<T>& power : powers_) sum += power.nnz();
        return sum;
    }

    /// source_of: where the right-hand side of each row lies.
    DeviceTriangle<T> brought(Cuda& backend, const HostVector<Index>& source_of) const {
        const Size n = placed_.row.size();
        DeviceTriangle<T> there = brought_places(backend, placed_, inverse_);
        const DeviceVector<Index> row = uploaded(backend, placed_.row);
        const DeviceVector<T> scale = uploaded(backend, inverse_);
        HostVector<Size> start(n + 1), early_start(n + 1);
        start[0] = early_start[0] = 0;
        for (Size place = 0; place < n; ++place) {
            const Size length = length_of(starts_.size() - 1, place);
            there.longest_row = std::max(there.longest_row, static_cast<Index>(length));
            start[place + 1] = start[place] + length;
            early_start[place + 1] = early_start[place];
            for (std::size_t q = 0; q + 1 < starts_.size(); ++q) early_start[place + 1] += length_of(q, place);
        }
        there.start = uploaded(backend, start);
        there.cols = DeviceVector<Index>(backend, start[n]);
        there.values = DeviceVector<T>(backend, start[n]);
        const DeviceVector<Index> place_of = uploaded(backend, placed_.place_of);
        place_rows(backend, powers_.back(), {row, there.start, place_of, nullptr, T{-1}}, there.cols, there.values);
        there.early_start = uploaded(backend, early_start);
        there.early_cols = DeviceVector<Index>(backend, early_start[n]);
        there.early_values = DeviceVector<T>(backend, early_start[n]);
        const DeviceVector<Index> sources = uploaded(backend, source_of);
        for (std::size_t q = 0; q + 1 < powers_.size(); ++q) {
            const DeviceVector<Size> to = uploaded(backend, early_start);
            place_rows(backend, powers_[q], {row, to, sources, &scale, q % 2 == 0 ? T{1} : T{-1}}, there.early_cols,
                       there.early_values);
            for (Size place = 0; place < n; ++place) early_start[place] += length_of(q, place);
        }
        return there;
    }

private:
    static std::vector<HostVector<Size>> starts_of(Cuda& backend, const std::vector<DeviceCsr<T>>& matrices) {
        std::vector<HostVector<Size>> starts;
        for (const DeviceCsr<T>& matrix : matrices) starts.push_back(row_starts(backend, matrix.row_ptr));
        return starts;
    }

    static Placed in_places(const LevelOrder& order, const HostVector<Size>& start) {
        HostVector<Size> length(order.row.size());
        for (Size k = 0; k < length.size(); ++k) length[k] = start[order.row[k] + 1] - start[order.row[k]];
        return {order.level_start, order.row, length};
    }

    /// Of the row at a place, in N^q.
    Size length_of(std::size_t q, Size place) const {
        const Index i = placed_.row[place];
        return starts_[q][i + 1] - starts_[q][i];
    }

    const HostVector<T>& inverse_;
    std::vector<DeviceCsr<T>> powers_;
    std::vector<HostVector<Size>> starts_;  ///< of their rows
    Placed placed_;
};

/// Bytes of a DeviceTriangle, with as many slices as there can be.
template <class T>
Size bytes_of(Size rows, Size entries) {
    return entries * static_cast<Size>(sizeof(T) + sizeof(Index)) +
           rows * static_cast<Size>(3 * sizeof(Index) + 2 * sizeof(Size) + sizeof(T) + sizeof(Slice));
}

template <class T, class Triangle>
DeviceTriangles<T> both(Cuda& backend, const Triangle& lower, const Triangle& upper) {
    const Placed &first = lower.placed(), &second = upper.placed();
    backend.require_free("the triangles of a factor", bytes_of<T>(first.row.size(), lower.entries()) +
                                                          bytes_of<T>(second.row.size(), upper.entries()));
    HostVector<Index> source(second.row.size());
    for (Size place = 0; place < source.size(); ++place) source[place] = first.place_of[second.row[place]];
    DeviceTriangles<T> there{.lower = lower.brought(backend, counted(first.row.size())),
                             .upper = upper.brought(backend, first.place_of)};
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
        return both<T>(backend, Substituted<T>(triangles.lower, inverse), Substituted<T>(triangles.upper, inverse));
    }
    return both<T>(backend, Expanded<T>(backend, triangles.lower, inverse, Side::lower, steps),
                   Expanded<T>(backend, triangles.upper, inverse, Side::upper, steps));
}

template DeviceTriangles<double> to_device(Cuda&, const LevelTriangles<double>&, int);
template DeviceTriangles<float> to_device(Cuda&, const LevelTriangles<float>&, int);

}  // namespace stiefel::triangular
