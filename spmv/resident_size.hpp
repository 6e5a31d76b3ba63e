#pragma once

#include "stiefel/core/cuda.hpp"

#include <algorithm>

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

/// Of how many of three vectors, in the mean of all rows, a device's multiprocessors are to have room for the elements,
/// three being all, for a loop that has them there and streams A to be faster than the kernels of a graph: with fewer
/// warps its products take longer, by the entry (H200: 5-point matrices are faster with 0.85 and not with 0.71, 7-point
/// ones with 0.92 and not with 0.77, 27-point ones with 1.8 and not with 1.4, elastic bodies with 3 and not with 2.75).
inline double least_that_stay(double entries_of_row) {
    return std::min(3.0, 0.55 + 0.035 * entries_of_row);
}

}  // namespace stiefel
