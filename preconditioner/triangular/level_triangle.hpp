#pragma once

#include "stiefel/spmv/csr.hpp"

#include <span>

namespace stiefel::triangular {

/// A lower triangular matrix column after column, rows ascending and the diagonal first. Of someone else's arrays.
template <class T>
struct LowerColumns {
    Index n = 0;
    std::span<const Size> start = {};  ///< of each column in rows and values, and one more
    std::span<const Index> rows = {};
    std::span<const T> values = {};
};

/// Rows of a triangular matrix in the order of levels: those of a level depend on levels before it alone (Anderson and
/// Saad 1989). There are as few levels as there can be.
template <class T>
struct LevelTriangle {
    HostVector<Index> level_start = {};  ///< of each level in `row`, and one more
    HostVector<Index> row = {};
    HostVector<Size> row_start = {};  ///< of each of these in cols and values, and one more
    HostVector<Index> cols = {};
    HostVector<T> values = {};  ///< beside the diagonal

    Index n_rows() const { return static_cast<Index>(row.size()); }
    Index n_levels() const { return static_cast<Index>(level_start.size()) - 1; }
    Size bytes() const { return level_start.bytes() + row.bytes() + row_start.bytes() + cols.bytes() + values.bytes(); }
};

/// L and L' by rows, and 1 / l_ii for both.
template <class T>
struct LevelTriangles {
    HostVector<T> inverse = {};
    LevelTriangle<T> lower = {}, upper = {};

    Index n_rows() const { return lower.n_rows(); }
    Size nonzeros() const { return inverse.size() + lower.values.size(); }
    Size bytes() const { return inverse.bytes() + lower.bytes() + upper.bytes(); }
};

/// On one core: a pass over the entries for each triangle, and one that turns columns into rows.
template <class T>
LevelTriangles<T> in_levels(const LowerColumns<T>& l);

enum class Side { lower, upper };

}  // namespace stiefel::triangular
