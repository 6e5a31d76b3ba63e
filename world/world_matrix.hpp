#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/world/row_blocks.hpp"

#include <vector>

namespace stiefel {

/// Rows of a matrix that a rank holds, as compressed sparse rows with columns counted over all ranks: ascending within
/// a row, without duplicates.
template <class T>
struct WorldRows {
    HostVector<Size> row_ptr;  ///< one more than the rank holds rows
    HostVector<Size> col_idx;
    HostVector<T> values;

    Index n_rows() const { return static_cast<Index>(row_ptr.size() - 1); }
    Size nnz() const { return values.size(); }
};

/// The same as a rank multiplies it: apart by who holds the columns.
template <class T>
struct SplitRows {
    HostCsr<T> own;              ///< the rank's rows: columns of this rank
    HostCsr<T> beyond;           ///< boundary x ghosts: rows with columns of others, and those columns
    HostVector<Index> boundary;  ///< the numbers here of those rows, ascending
    std::vector<Size> ghosts;    ///< the numbers over all ranks of those columns, ascending

    Size nnz() const { return own.nnz() + beyond.nnz(); }
};

template <class T>
SplitRows<T> copy_of(const SplitRows<T>& rows);

/// Splits the rows of a rank of a matrix whose columns are held as `columns` say: of a square one as its rows. Throws
/// InvalidArgument where a column is not one of the matrix. threads: that share the work.
template <class T>
SplitRows<T> split_rows(const WorldRows<T>& rows, const RowBlocks& columns, int rank, int threads = 1);

}  // namespace stiefel
