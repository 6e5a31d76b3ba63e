#include "stiefel/preconditioner/cholesky/block_kernels.hpp"

#include "stiefel/core/instruction_sets.hpp"

#include <vector>

namespace stiefel::cholesky {

namespace {

template <class T>
std::vector<BlockKernels<T>> runnable(const BlockKernels<T>& baseline, const BlockKernels<T>& avx2,
                                      const BlockKernels<T>& avx512) {
    std::vector<BlockKernels<T>> list{baseline};
    if (has_avx2()) list.push_back(avx2);
    if (has_avx512()) list.push_back(avx512);
    return list;
}

}  // namespace

template <>
std::span<const BlockKernels<double>> runnable_block_kernels() {
    static const auto list = runnable(baseline_double, avx2_double, avx512_double);
    return list;
}
template <>
std::span<const BlockKernels<float>> runnable_block_kernels() {
    static const auto list = runnable(baseline_float, avx2_float, avx512_float);
    return list;
}

template <class T>
const BlockKernels<T>& block_kernels() {
    return runnable_block_kernels<T>().back();
}
template const BlockKernels<double>& block_kernels();
template const BlockKernels<float>& block_kernels();

}  // namespace stiefel::cholesky
