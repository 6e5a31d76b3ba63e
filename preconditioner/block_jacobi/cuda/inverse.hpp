#pragma once

#include "stiefel/preconditioner/block_jacobi/blocks.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::block_jacobi {

/// As the host's row_links().
HostVector<Index> row_links(Cuda&, const DeviceCsr<double>& a);

/// As the host's Inverse.
struct DeviceInverse {
    DeviceCsr<double> m;
    Index jacobi_blocks = 0;
};

/// As inverse() of the host; some lanes of a warp invert a block. inverse_roots: of A's diagonal. The bits are the same
/// in every run, and m is symmetric to the last one. Throws OutOfMemory where m, and what multiplies by it, have no
/// room.
DeviceInverse inverse(Cuda&, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots, const Blocks&,
                      double least_pivot);

}  // namespace stiefel::block_jacobi
