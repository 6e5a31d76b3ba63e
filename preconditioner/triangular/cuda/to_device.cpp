#include "stiefel/preconditioner/triangular/cuda/placed_rows.hpp"
#include "stiefel/preconditioner/triangular/cuda/slices.hpp"
#include "stiefel/preconditioner/triangular/cuda/triangle_terms.hpp"

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

/// Entries from the device.
template <class T>
class PutTogether {
public:
    PutTogether(Cuda& backend, const TriangleTerms<T>& terms, const HostVector<T>& inverse)
        : terms_(terms),
          inverse_(inverse),
          late_(lengths(backend, terms.late)),
          of_rows_(late_.size()),
          placed_(in_places(backend)) {}

    const Placed& placed() const { return placed_; }
    Size entries() const { return entries_of(terms_.early) + entries_of(terms_.late); }

    /// source_of: where the right-hand side of each row lies.
    DeviceTriangle<T> brought(Cuda& backend, const HostVector<Index>& source_of) const {
        DeviceTriangle<T> there = brought_places(backend, placed_, inverse_);
        const DeviceVector<Index> row = uploaded(backend, placed_.row);
        const auto bring = [&](const std::vector<Term>& terms, const DeviceVector<Index>& of_rows,
                               const HostVector<Index>& number, const DeviceVector<T>* scale, DeviceVector<Size>& start,
                               DeviceVector<Index>& cols, DeviceVector<T>& values) {
            start = starts_in_order(backend, of_rows, row);
            DeviceVector<Size> to = starts_in_order(backend, of_rows, row);
            cols = DeviceVector<Index>(backend, entries_of(terms));
            values = DeviceVector<T>(backend, entries_of(terms));
            const DeviceVector<Index> numbers = uploaded(backend, number);
            for (const Term& term : terms) {
                place_rows(backend, term.matrix, {row, to, numbers, scale, term.factor}, cols, values);
            }
        };
        bring(terms_.late, late_, placed_.place_of, nullptr, there.start, there.cols, there.values);
        if (of_rows_.size() > 0) there.longest_row = *std::max_element(of_rows_.begin(), of_rows_.end());
        if (!terms_.early.empty()) {
            const DeviceVector<T> scale = uploaded(backend, inverse_);
            bring(terms_.early, lengths(backend, terms_.early), source_of, &scale, there.early_start, there.early_cols,
                  there.early_values);
        }
        return there;
    }

private:
    using Term = typename TriangleTerms<T>::Term;

    static Size entries_of(const std::vector<Term>& terms) {
        Size sum = 0;
        for (const Term& term : terms) sum += term.matrix.nnz();
        return sum;
    }

    /// Of rows, in all terms together.
    static DeviceVector<Index> lengths(Cuda& backend, const std::vector<Term>& terms) {
        DeviceVector<Index> sums(backend, terms.front().matrix.n_rows);
        backend.zero_bytes(sums.data(), sums.bytes());
        for (const Term& term : terms) add_row_lengths(backend, term.matrix, sums);
        return sums;
    }

    Placed in_places(Cuda& backend) {
        download(backend, late_, of_rows_);
        const HostVector<Index>& row = terms_.order.row;
        HostVector<Size> in_order(row.size());
        for (Size k = 0; k < row.size(); ++k) in_order[k] = of_rows_[row[k]];
        return {terms_.order.level_start, row, in_order};
    }

    const TriangleTerms<T>& terms_;
    const HostVector<T>& inverse_;
    DeviceVector<Index> late_;   // entries of rows
    HostVector<Index> of_rows_;  // the same
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
DeviceTriangles<T> to_device(Cuda& backend, const TriangleTerms<T>& lower, const TriangleTerms<T>& upper,
                             const HostVector<T>& inverse) {
    return both<T>(backend, PutTogether<T>(backend, lower, inverse), PutTogether<T>(backend, upper, inverse));
}

template <class T>
DeviceTriangles<T> to_device(Cuda& backend, const LevelTriangles<T>& triangles, const Expansion& expansion) {
    const auto& [inverse, lower, upper] = triangles;
    if (expansion.steps == 0) {
        return both<T>(backend, Substituted<T>(lower, inverse), Substituted<T>(upper, inverse));
    }
    const TriangleTerms<T> of_lower = expanded(backend, lower, inverse, Side::lower, expansion);
    const TriangleTerms<T> of_upper = expanded(backend, upper, inverse, Side::upper, expansion);
    return both<T>(backend, PutTogether<T>(backend, of_lower, inverse), PutTogether<T>(backend, of_upper, inverse));
}

template DeviceTriangles<double> to_device(Cuda&, const TriangleTerms<double>&, const TriangleTerms<double>&,
                                           const HostVector<double>&);
template DeviceTriangles<float> to_device(Cuda&, const TriangleTerms<float>&, const TriangleTerms<float>&,
                                          const HostVector<float>&);
template DeviceTriangles<double> to_device(Cuda&, const LevelTriangles<double>&, const Expansion&);
template DeviceTriangles<float> to_device(Cuda&, const LevelTriangles<float>&, const Expansion&);

}  // namespace stiefel::triangular
