#pragma once

#include "stiefel/analysis/tally.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>

namespace stiefel {

/// The diagonal of a square matrix.
struct DiagonalEntries {
    RowTally missing;    ///< rows without a stored diagonal entry
    RowTally zero;       ///< rows whose stored diagonal entry is 0
    RowTally negative;   ///< rows with a_ii < 0; such a matrix is not positive definite, nor is one of the two above
    double min_abs = 0;  ///< smallest |a_ii|, missing ones being 0
    double max_abs = 0;  ///< largest |a_ii|

    bool is_positive() const { return missing.count == 0 && zero.count == 0 && negative.count == 0; }
};

/// Looks the diagonal up row by row, in parallel: n_rows log(longest row). All zeros for a 0 x 0 matrix; the same
/// with any number of threads. Throws InvalidArgument if A is not square.
template <class T>
DiagonalEntries diagonal_entries(OpenMP&, const HostCsr<T>& a);

/// DiagonalEntries while they are being found; the extremes count once a row has been added.
struct PartialDiagonal : DiagonalEntries {
    bool empty = true;

    constexpr void add(Index row, bool is_stored, double entry) {
        PartialDiagonal one;
        if (!is_stored) one.missing.add(row);
        if (is_stored && entry == 0) one.zero.add(row);
        if (entry < 0) one.negative.add(row);
        one.min_abs = one.max_abs = entry < 0 ? -entry : entry;
        one.empty = false;
        merge(one);
    }

    constexpr void merge(const PartialDiagonal& other) {
        if (other.empty) return;
        missing.merge(other.missing);
        zero.merge(other.zero);
        negative.merge(other.negative);
        min_abs = empty ? other.min_abs : std::min(min_abs, other.min_abs);
        max_abs = empty ? other.max_abs : std::max(max_abs, other.max_abs);
        empty = false;
    }

    /// Looks for the diagonal among the ascending columns of a row.
    template <class T, class Offset>
    constexpr void add_row(Index row, const Offset* row_ptr, const Index* col_idx, const T* values) {
        Offset low = row_ptr[row];
        const Offset end = row_ptr[row + 1];
        for (Offset high = end; low < high;) {
            const Offset middle = low + (high - low) / 2;
            if (col_idx[middle] < row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        const bool is_stored = low < end && col_idx[low] == row;
        add(row, is_stored, is_stored ? static_cast<double>(values[low]) : 0.0);
    }
};

}  // namespace stiefel
