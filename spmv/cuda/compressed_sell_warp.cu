#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/compressed_product.cuh"

namespace stiefel::cuda {

namespace {

template <bool shared, class T>
__global__ void __launch_bounds__(block_threads, compressed_sell_blocks)
    compressed_sell_kernel(CompressedView<T> a, Index slices_of_block, RowOutput<T> out) {
    begin_kernel();
    double dot = 0;
    const auto step = static_cast<Index>(gridDim.x) * slices_of_block;
    for (Index begin = static_cast<Index>(blockIdx.x) * slices_of_block; begin < a.n_slices; begin += step) {
        dot += slices_product<shared>(a, begin, slices_of_block, out);
    }
    out.finish(dot);
}

}  // namespace

template <class T>
void compressed_sell_warp(Cuda& backend, const DeviceCompressedSell<T>& a, const SpmvArguments<T>& s) {
    const SliceShares shares(backend, a.n_slices());
    const Size most = s.dot != nullptr ? shares.at_a_time : ReductionScratch::max_blocks;
    const bool shared = a.values.size() < a.nnz();
    launch(backend, shared ? compressed_sell_kernel<true, T> : compressed_sell_kernel<false, T>,
           static_cast<int>(std::clamp<Size>(shares.blocks, 1, most)), block_threads, "launching compressed_sell_warp",
           CompressedView<T>(a), shares.slices_of_block, RowOutput<T>(backend, s));
}

template void compressed_sell_warp(Cuda&, const DeviceCompressedSell<double>&, const SpmvArguments<double>&);
template void compressed_sell_warp(Cuda&, const DeviceCompressedSell<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
