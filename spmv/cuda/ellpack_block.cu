#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

namespace {

/// Products of a block of rows at a time; 1024 of them keep eight blocks on a multiprocessor.
constexpr int tile = 1024;

/// A block of threads for a block of rows, made for the row-major layout. The threads multiply entry by entry, in the
/// order of memory, into shared memory; then each row is summed there by one thread. Rows longer than the tile go
/// through it in pieces.
template <class T>
__global__ void ellpack_block_kernel(Index n_rows, Index width, EllpackSteps steps, const Index* col_idx,
                                     const T* values, RowOutput<T> out) {
    begin_kernel();
    __shared__ T product[tile];
    const Index piece = min(width, tile);
    const Index rows_per_block = piece > 0 ? min(tile / piece, block_threads) : block_threads;
    const Index row_of_thread = static_cast<Index>(threadIdx.x);
    double dot = 0;
    for (Size first = Size{blockIdx.x} * rows_per_block; first < n_rows; first += Size{gridDim.x} * rows_per_block) {
        const Index n = static_cast<Index>(min(Size{rows_per_block}, n_rows - first));
        T sum = 0;
        for (Index begin = 0; begin < width; begin += piece) {
            const Index count = min(piece, width - begin);
            for (Index e = static_cast<Index>(threadIdx.x); e < n * count; e += block_threads) {
                const Size k = steps.position(first + e / count, begin + e % count);
                product[e] = load_once(values + k) * __ldg(out.x + load_once(col_idx + k));
            }
            __syncthreads();
            if (row_of_thread < n) {
                for (Index j = 0; j < count; ++j) sum += product[row_of_thread * count + j];
            }
            __syncthreads();
        }
        if (row_of_thread < n) dot += out.store(static_cast<Index>(first) + row_of_thread, sum);
    }
    out.finish(dot);
}

}  // namespace

template <class T>
void ellpack_block(Cuda& backend, const DeviceEllpack<T>& a, const SpmvArguments<T>& s) {
    const int rows_per_block = std::clamp(tile / std::max(a.width, Index{1}), 1, block_threads);
    launch(backend, ellpack_block_kernel<T>, grid_for(backend, s, a.n_rows, rows_per_block), block_threads,
           "launching ellpack_block", a.n_rows, a.width, EllpackSteps(a.layout, a.stride), a.col_idx.data(),
           a.values.data(), RowOutput<T>(backend, s));
}

template void ellpack_block(Cuda&, const DeviceEllpack<double>&, const SpmvArguments<double>&);
template void ellpack_block(Cuda&, const DeviceEllpack<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
