#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::amg {

/// A sparse matrix of dense blocks on a device, as BlockMatrix of the host. A row of blocks is kept as columns of
/// `height` numbers each; those of a block, `width` of them, lie one behind the other.
struct DeviceBlockMatrix {
    Index n_rows = 0;  ///< of blocks
    Index n_cols = 0;  ///< of unknowns
    Index height = 1, width = 1;
    RowOffsets<DeviceMemory> row_ptr;  ///< in columns, of 32 bits
    DeviceVector<Index> col_idx;       ///< of unknowns, ascending within a row
    DeviceVector<double> values;       ///< column after column

    Size n_blocks() const { return col_idx.size() / width; }
    Size bytes() const { return row_ptr.bytes() + col_idx.bytes() + values.bytes(); }
};

/// Thrown where columns or entries cannot be counted in 31 bits.
struct TooManyBlocks {};

/// Unknowns a node, and modes of it, that kernels are there for.
constexpr bool has_block_kernels(Index block, Index modes) {
    const bool is_height = block == 2 || block == 3 || block == 6;
    return is_height && (modes == block || (block == 2 && modes == 3) || (block == 3 && modes == 6));
}

// Formulas and results are the host's, up to the order of sums. Blocks are as has_block_kernels() knows them.

/// Of square blocks; what a block lacks is zero.
DeviceBlockMatrix to_blocks(Cuda&, const DeviceCsr<double>& a, Index size);
/// All entries of all blocks.
DeviceCsr<double> to_csr(Cuda&, const DeviceBlockMatrix& a);

DeviceBlockMatrix transpose(Cuda&, const DeviceBlockMatrix& a);
/// Waits for the device once.
DeviceBlockMatrix product(Cuda&, const DeviceBlockMatrix& a, const DeviceBlockMatrix& b);

/// The Frobenius norms of the blocks.
DeviceCsr<double> block_norms(Cuda&, const DeviceBlockMatrix& a);

}  // namespace stiefel::amg
