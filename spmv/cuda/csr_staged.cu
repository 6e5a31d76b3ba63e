#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

namespace {

/// Entries in shared memory at a time.
constexpr int staged_entries = 2048;

/// A block of threads for as many rows. Their entries, which are contiguous, pass through shared memory tile by tile:
/// read in the order of memory, then each thread sums its row's part of the tile.
template <class T, class Offset>
__global__ void csr_staged_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                                  RowOutput<T> out) {
    begin_kernel();
    __shared__ T value[staged_entries];
    __shared__ Index col[staged_entries];
    double dot = 0;
    for (Size first = Size{blockIdx.x} * block_threads; first < n_rows; first += Size{gridDim.x} * block_threads) {
        const Size row = first + threadIdx.x;
        const Offset tiles_begin = row_ptr[first];
        const Offset tiles_end = row_ptr[min(first + block_threads, Size{n_rows})];
        const Offset row_begin = row < n_rows ? row_ptr[row] : tiles_end;
        const Offset row_end = row < n_rows ? row_ptr[row + 1] : tiles_end;
        T sum = 0;
        for (Offset begin = tiles_begin; begin < tiles_end; begin += staged_entries) {
            const int n = static_cast<int>(min(Offset{staged_entries}, tiles_end - begin));
#pragma unroll 8
            for (int k = static_cast<int>(threadIdx.x); k < n; k += block_threads) {
                value[k] = load_once(values + begin + k);
                col[k] = load_once(col_idx + begin + k);
            }
            __syncthreads();
            const int to = static_cast<int>(min(row_end - begin, Offset{n}));
#pragma unroll 4
            for (int k = static_cast<int>(max(row_begin - begin, Offset{0})); k < to; ++k) {
                sum += value[k] * __ldg(out.x + col[k]);
            }
            __syncthreads();
        }
        if (row < n_rows) dot += out.store(static_cast<Index>(row), sum);
    }
    out.finish(dot);
}

}  // namespace

template <class T>
void csr_staged(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(backend, csr_staged_kernel<T, Offset>, grid_for(backend, s, a.n_rows, block_threads), block_threads,
               "launching csr_staged", a.n_rows, row_ptr, a.col_idx.data(), a.values.data(), RowOutput<T>(backend, s));
    });
}

template void csr_staged(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_staged(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
