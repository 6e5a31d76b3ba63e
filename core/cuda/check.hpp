#pragma once

#include "stiefel/core/cuda.hpp"

#include <cuda_runtime.h>

namespace stiefel {

/// Throws CudaError unless the call succeeded. `doing` completes "while ...". An error that stays with the thread
/// (after a failed launch) is cleared first, so that the next call does not report it again.
inline void check_cuda(cudaError_t status, std::string_view doing) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw CudaError(static_cast<int>(status), doing);
}

}  // namespace stiefel
