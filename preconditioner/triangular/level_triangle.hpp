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
/// Saad 1989). There are as few levels as there can be. Made for few threads (levels_pay), all rows may stand as one
/// level, in an order in which one thread can take them.
template <class T>
struct LevelTriangle {
    Index level_sets = 0;                ///< how many levels there are, however rows stand
    HostVector<Index> level_start = {};  ///< of each level in `row`, and one more
    HostVector<Index> row = {};
    HostVector<Size> row_start = {};  ///< of each of these in cols and values, and one more
    HostVector<Index> cols = {};
    HostVector<T> values = {};  ///< beside the diagonal

    Index n_rows() const { return static_cast<Index>(row.size()); }
    Index n_levels() const { return static_cast<Index>(level_start.size()) - 1; }
    bool is_in_levels() const { return n_levels() == level_sets; }
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

constexpr int of_a_device = 0;  ///< a number of threads: so many that rows must stand in levels

/// Whether so many threads of a host take less time level by level, of so many rows in the mean, than one of them takes
/// for rows in their own order. What a row needs has just been read there; level after level, one thread takes twice as
/// long (7-point 100^3: 36 and 14 ms), unless levels are so long that their rows lie side by side.
inline bool levels_pay(Size rows_of_level, int threads) {
    if (threads == of_a_device) return true;
    return threads > 2 ? rows_of_level >= 400 : threads == 2 && rows_of_level >= 5000;
}

/// On one core: a pass over the entries for each triangle, and one that turns columns into rows.
template <class T>
LevelTriangles<T> in_levels(const LowerColumns<T>& l, int threads = of_a_device);

enum class Side { lower, upper };

}  // namespace stiefel::triangular
