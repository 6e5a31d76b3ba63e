#pragma once

#include "stiefel/core/cuda.hpp"

namespace stiefel {

/// Whether a system whose matrix takes so many bytes in CSR is likely to fit into the shared memory of a device's
/// multiprocessors, with its vectors and what blocks need of each other: 7-point grids, whose blocks need twice their
/// rows of others, do up to 0.57 (58^3), 5-point ones up to 0.8. One that does not may have its vectors there alone, in
/// a loop that multiplies by the compressed format; where both are possible that takes 1.3 times as long, and where
/// only it is, half of what the kernels of a graph do.
inline bool may_be_resident(const CudaDevice& device, Size csr_bytes) {
    return static_cast<double>(csr_bytes) <=
           0.6 * static_cast<double>(device.shared_bytes_per_block * device.multiprocessors);
}

}  // namespace stiefel
