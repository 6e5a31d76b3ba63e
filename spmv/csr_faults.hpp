#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <string>

// What check_csr looks at in a row, for all backends, and how it says what it found.

namespace stiefel {

/// Whether a row's offsets ascend and lie among the entries.
template <class Offset>
constexpr bool offsets_are_right(const Offset* row_ptr, Index row, Size nnz) {
    return row_ptr[row] >= 0 && row_ptr[row] <= row_ptr[row + 1] && row_ptr[row + 1] <= nnz;
}

/// Whether a row's columns ascend and lie in the matrix.
template <class Offset>
constexpr bool columns_are_right(const Offset* row_ptr, const Index* col_idx, Index row, Index n_cols) {
    Index before = -1;
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        if (col_idx[k] <= before) return false;
        before = col_idx[k];
    }
    return before < n_cols;
}

template <class Matrix>
void require_csr_sizes(const Matrix& a) {
    require(a.n_rows >= 0 && a.n_cols >= 0, "check_csr: the matrix has a negative size");
    require(a.row_ptr.size() == Size{a.n_rows} + 1, "check_csr: there must be n_rows + 1 offsets");
    require(a.col_idx.size() == a.values.size(), "check_csr: there must be as many columns as values");
}

inline void require_csr_ends(Size first, Size last, Size nnz) {
    if (first == 0 && last == nnz) return;
    throw InvalidArgument("check_csr: the offsets go from " + std::to_string(first) + " to " + std::to_string(last) +
                          ", not from 0 to the " + std::to_string(nnz) + " entries");
}

[[noreturn]] inline void throw_bad_offsets(Index row) {
    throw InvalidArgument("check_csr: the offsets of row " + std::to_string(row) +
                          " (from 0) descend or lie outside of the entries");
}

[[noreturn]] inline void throw_bad_columns(Index row, Index n_cols) {
    throw InvalidArgument("check_csr: the columns of row " + std::to_string(row) +
                          " (from 0) do not ascend, or are not all in 0 to " + std::to_string(n_cols - 1));
}

}  // namespace stiefel
