#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::amg {

/// A sparse matrix of dense blocks on the host: what the set-up works with where nodes have several unknowns or modes.
/// A block is found once for all its entries, and multiplied by others in registers.
struct BlockMatrix {
    Index n_rows = 0, n_cols = 0;  ///< in blocks
    Index height = 1, width = 1;   ///< of a block
    HostVector<Size> row_ptr;      ///< in blocks, as col_idx, which ascends within a row
    HostVector<Index> col_idx;
    HostVector<double> values;  ///< block after block, each row after row

    Size block_size() const { return Size{height} * width; }
    double* block(Size k) { return values.data() + k * block_size(); }
    const double* block(Size k) const { return values.data() + k * block_size(); }
    Size bytes() const { return row_ptr.bytes() + col_idx.bytes() + values.bytes(); }
};

/// Of square blocks; what a block lacks is zero. The size of A must be a multiple of theirs.
BlockMatrix to_blocks(OpenMP&, const HostCsr<double>& a, Index size);
/// All entries of all blocks.
HostCsr<double> to_csr(OpenMP&, const BlockMatrix& a);

BlockMatrix transpose(OpenMP&, const BlockMatrix& a);
BlockMatrix product(OpenMP&, const BlockMatrix& a, const BlockMatrix& b);

/// The Frobenius norms of the blocks.
HostCsr<double> block_norms(OpenMP&, const BlockMatrix& a);

}  // namespace stiefel::amg
