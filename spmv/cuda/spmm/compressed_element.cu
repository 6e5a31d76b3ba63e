#include "stiefel/spmv/cuda/compressed_sell.cuh"
#include "stiefel/spmv/cuda/diagonals.cuh"
#include "stiefel/spmv/cuda/spmm/rows.cuh"

namespace stiefel::cuda {

namespace {

/// The column of entry j in a lane's row.
template <class T>
__device__ Index column(const CompressedView<T>& a, const CompressedSlice& at, Size slot, Index j) {
    const Index base = __ldg(a.base + at.group + j);
    if (at.columns == SliceColumns::diagonals) return base + static_cast<Index>(slot);
    const Size place = Size{j} * warp_size + slot % warp_size;
    const std::uint16_t* const distances = a.distances + at.distance;
    return base +
           (at.columns == SliceColumns::near ? distances[place] : reinterpret_cast<const Index*>(distances)[place]);
}

/// A thread for an element of Y. Neighbours along a row of Y read the same entries.
template <class T>
__global__ void __launch_bounds__(spmm_threads)
    compressed_element_kernel(CompressedView<T> a, Elements elements, SpmmArguments<T> s) {
    begin_kernel();
    for (Size element = Size{blockIdx.x} * blockDim.x + threadIdx.x; element < elements.size();
         element += Size{gridDim.x} * blockDim.x) {
        const Size slot = elements.row(element);
        const Index row = a.row(static_cast<unsigned>(slot));
        const Index of_panel = elements.column(element);
        if (row >= a.n_rows || of_panel >= s.k) continue;
        const CompressedSlice at = a.slices[slot / warp_size];
        const auto n = at.n_groups;
        const T* const values = a.values + at.group * warp_size + slot % warp_size;
        T sum = 0;
        for (Index j = 0; j < n; ++j) {
            sum = with_entry(sum, values[Size{j} * warp_size], s.x[column(a, at, slot, j) * s.ldx + of_panel]);
        }
        update_element(s.y + row * s.ldy + of_panel, sum, s.alpha, s.beta);
    }
}

}  // namespace

template <class T>
void spmm_compressed_element(Cuda& backend, const DeviceCompressedSell<T>& a, const SpmmArguments<T>& s) {
    const Elements elements(a.n_slots(), s.k);
    launch(backend, compressed_element_kernel<T>, spmm_grid(elements.size(), spmm_threads), spmm_threads,
           "launching spmm_compressed_element", CompressedView<T>(a), elements, s);
}

template void spmm_compressed_element(Cuda&, const DeviceCompressedSell<double>&, const SpmmArguments<double>&);
template void spmm_compressed_element(Cuda&, const DeviceCompressedSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
