#pragma once

#include "stiefel/world/row_blocks.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <vector>

namespace stiefel {

/// The rows of a rank as vertices of a graph, in the numbers of a library that partitions graphs.
template <class Number>
struct Adjacency {
    std::vector<Number> ptr;      ///< one more than there are rows
    std::vector<Number> columns;  ///< of each row, without its diagonal
    std::vector<Number> weights;  ///< of each row: what an iteration moves, 12 bytes an entry and 84 a row, over 12

    Adjacency(const WorldRows<double>& rows, Size first) : ptr{0} {
        columns.reserve(static_cast<std::size_t>(rows.nnz()));
        for (Index i = 0; i < rows.n_rows(); ++i) {
            for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
                if (rows.col_idx[k] != first + i) columns.push_back(static_cast<Number>(rows.col_idx[k]));
            }
            ptr.push_back(static_cast<Number>(columns.size()));
            weights.push_back(static_cast<Number>(rows.row_ptr[i + 1] - rows.row_ptr[i] + 7));
        }
    }
};

}  // namespace stiefel
