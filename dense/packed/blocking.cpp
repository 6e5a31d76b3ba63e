#include "stiefel/core/round_up.hpp"
#include "stiefel/dense/packed/gemm_packed.hpp"

#include <unistd.h>

#include <algorithm>

namespace stiefel {

namespace {

struct Caches {
    Size l1 = Size{32} << 10;
    Size l2 = Size{512} << 10;
    Size l3 = Size{8} << 20;
};

/// Of this machine; what it does not tell stays at the small sizes above.
const Caches& caches() {
    static const Caches sizes = [] {
        Caches found;
        const auto ask = [](int name, Size& size) {
            if (const auto bytes = static_cast<Size>(sysconf(name)); bytes > 0) size = bytes;
        };
#if defined(_SC_LEVEL1_DCACHE_SIZE)
        ask(_SC_LEVEL1_DCACHE_SIZE, found.l1);
        ask(_SC_LEVEL2_CACHE_SIZE, found.l2);
        ask(_SC_LEVEL3_CACHE_SIZE, found.l3);
#endif
        return found;
    }();
    return sizes;
}

/// The smallest block, a multiple of `multiple`, with which `n` is cut into as few blocks as blocks of `largest` would
/// need, and into a multiple of `parts`.
Size even_block(Size n, Size largest, Size multiple, Size parts = 1) {
    largest = std::max(multiple, largest / multiple * multiple);
    const Size n_blocks = round_up(std::max<Size>(1, (n + largest - 1) / largest), parts);
    return std::max(multiple, round_up((n + n_blocks - 1) / n_blocks, multiple));
}

}  // namespace

template <class T>
GemmBlocking gemm_blocking(const MicroKernel<T>& kernel, Size m, Size n, Size k, int threads) {
    constexpr Size bytes = sizeof(T);
    constexpr Size slice_limit = Size{32} << 20;
    GemmBlocking block;
    block.kc = even_block(k, caches().l1 * 3 / 4 / (kernel.nr * bytes), 8);
    block.mc = even_block(m, caches().l2 / 2 / (block.kc * bytes), kernel.mr, threads);
    block.nc = even_block(n, std::min(caches().l3 / 4, slice_limit) / (block.kc * bytes), kernel.nr);
    return block;
}

template GemmBlocking gemm_blocking(const MicroKernel<double>&, Size, Size, Size, int);
template GemmBlocking gemm_blocking(const MicroKernel<float>&, Size, Size, Size, int);

}  // namespace stiefel
