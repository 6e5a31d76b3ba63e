#pragma once

#include "stiefel/dense/gemm_kernels.hpp"
#include "stiefel/dense/packed/micro_kernel.hpp"

namespace stiefel {

/// Edges of the blocks that GEMM is cut into, so that each level of the memory hierarchy holds what is used again most:
/// L1 a panel of B (kc x nr), L2 a block of A (mc x kc), L3 a slice of B (kc x nc) (Low et al. 2016).
struct GemmBlocking {
    Size mc = 0;
    Size kc = 0;
    Size nc = 0;
};

/// For this machine's caches. kc does not depend on the number of threads, and so neither does a bit of the result.
template <class T>
GemmBlocking gemm_blocking(const MicroKernel<T>& kernel, Size m, Size n, Size k, int threads);

/// C = alpha A B + beta C in packed panels (Goto and van de Geijn 2008), on `threads` threads that share the rows of C.
/// Keeps its packing buffers for the next call from the same thread.
template <class T>
void gemm_packed(const GemmArguments<T>& g, const MicroKernel<T>& kernel, int threads);

}  // namespace stiefel
