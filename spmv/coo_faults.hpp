#pragma once

#include "stiefel/spmv/coo.hpp"

#include <string>

// What csr_from_coo refuses, and how it says so, on all backends.

namespace stiefel {

template <class T>
void require_coo_shape(const Coo<T>& coo) {
    require(coo.n_rows >= 0 && coo.n_cols >= 0, "csr_from_coo: the matrix has a negative size");
    require(coo.row_idx.size() == coo.n_entries() && coo.col_idx.size() == coo.n_entries(),
            "csr_from_coo: row_idx, col_idx and values must be of one size");
    require(coo.symmetry == Symmetry::general || coo.n_rows == coo.n_cols,
            "csr_from_coo: a symmetric or skew-symmetric matrix must be square");
}

template <class T>
[[noreturn]] void throw_outside(const Coo<T>& coo, Size entry) {
    throw InvalidArgument("csr_from_coo: entry " + std::to_string(entry) + " is at row " +
                          std::to_string(coo.row_idx[entry]) + ", column " + std::to_string(coo.col_idx[entry]) +
                          ", outside of a " + std::to_string(coo.n_rows) + " x " + std::to_string(coo.n_cols) +
                          " matrix");
}

}  // namespace stiefel
