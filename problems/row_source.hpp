#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <functional>

namespace stiefel {

/// A generated matrix of which each process makes the rows that it holds, the entries as one process would have them.
struct RowSource {
    Size n_rows = 0;  ///< may be more than an Index counts
    Size n_cols = 0;
    /// The rows [first, last), at most as many as an Index counts. From several threads; no memory beyond the result
    /// but for random graphs, of which all edges are drawn and those of these rows are kept.
    std::function<WorldRows<double>(OpenMP&, Size first, Size last)> rows = {};
};

}  // namespace stiefel
