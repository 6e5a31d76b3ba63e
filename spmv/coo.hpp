#pragma once

#include "stiefel/core/memory.hpp"

namespace stiefel {

/// What one stored triangle says of the other. `symmetric` and `skew_symmetric` matrices store one triangle
/// (skew ones without diagonal); conversion to CSR mirrors it.
enum class Symmetry { general, symmetric, skew_symmetric };

/// Coordinate format: entry e is a(row_idx[e], col_idx[e]) = values[e], zero-based, in any order; entries given twice
/// add up. The format of files and of assembly; always in host memory.
template <class T>
struct Coo {
    Index n_rows = 0;
    Index n_cols = 0;
    Symmetry symmetry = Symmetry::general;
    HostVector<Index> row_idx{};
    HostVector<Index> col_idx{};
    HostVector<T> values{};

    /// Entries as stored (of one triangle if symmetric), not the expanded nonzeros.
    Size n_entries() const { return values.size(); }
};

}  // namespace stiefel
