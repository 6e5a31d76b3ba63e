#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"

namespace stiefel::cholesky {

/// Rows of a triangular matrix, those of a level depending on levels before it alone, in the order of levels.
template <class T>
struct LevelTriangle {
    HostVector<Index> level_start = {};  ///< of each level in `row`, and one more
    HostVector<Index> row = {};
    HostVector<Size> row_start = {};  ///< of each of these in cols and values, and one more
    HostVector<Index> cols = {};
    HostVector<T> values = {};  ///< beside the diagonal

    Index n_levels() const { return static_cast<Index>(level_start.size()) - 1; }
    Size bytes() const { return level_start.bytes() + row.bytes() + row_start.bytes() + cols.bytes() + values.bytes(); }
};

/// Z = L^-T L^-1 R for panels, level by level (Anderson and Saad 1989), a level's rows on all threads where levels are
/// long. A row is summed by one thread in the order of its entries, so bits do not depend on how many there are.
template <class T>
class LevelSolve {
public:
    LevelSolve(const IncompleteFactor<T>& factor, int threads);

    Index n_rows() const { return static_cast<Index>(inverse_.size()); }
    Size nonzeros() const { return inverse_.size() + lower_.values.size(); }
    Index n_levels() const { return lower_.n_levels(); }
    Size bytes() const { return inverse_.bytes() + lower_.bytes() + upper_.bytes(); }

    void run(MatrixView<const T, HostMemory> r, MatrixView<T, HostMemory> z) const;

private:
    HostVector<T> inverse_;  // of the diagonal
    LevelTriangle<T> lower_, upper_;
    int threads_;
};

}  // namespace stiefel::cholesky
