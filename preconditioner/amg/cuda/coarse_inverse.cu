#include "stiefel/preconditioner/amg/cuda/coarse_inverse.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <utility>

namespace stiefel::amg {

namespace {

constexpr int threads = 1024;
/// So few rows that one block takes no longer for all pivots than many would need to start for each.
constexpr Index most_rows_of_block = 320;

__global__ void to_dense_kernel(cuda::CsrView<double> a, double* dense) {
    for (Size i = blockIdx.x; i < a.n_rows; i += gridDim.x) {
        for (Size k = a.row_ptr[i] + threadIdx.x; k < a.row_ptr[i + 1]; k += blockDim.x) {
            dense[i * a.n_rows + a.col_idx[k]] = a.values[k];
        }
    }
}

/// out = in after the elimination with pivot k, by `n_threads` threads of which this is number `own`. A pivot that
/// counts as zero is left out with its row and column.
__device__ void eliminate(Index n, Index k, const double* diagonal, const double* in, double* out, Size own,
                          Size n_threads) {
    constexpr double least = 1e-11;
    const double pivot = in[Size{k} * n + k];
    const bool is_zero = !(pivot > least * diagonal[k]);
    const double inverse = is_zero ? 0 : 1 / pivot;
    for (Size e = own; e < Size{n} * n; e += n_threads) {
        const auto i = static_cast<Index>(e / n), j = static_cast<Index>(e % n);
        const double row = in[Size{k} * n + j] * inverse;
        const double column = in[Size{i} * n + k];
        double value = in[e] - column * row;
        if (i == k) value = j == k ? inverse : row;
        if (i != k && j == k) value = -column * inverse;
        out[e] = value;
    }
}

__global__ void __launch_bounds__(threads) eliminate_all_kernel(Index n, const double* diagonal, double* a, double* b) {
    for (Index k = 0; k < n; ++k) {
        eliminate(n, k, diagonal, k % 2 == 0 ? a : b, k % 2 == 0 ? b : a, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

__global__ void __launch_bounds__(threads)
    eliminate_kernel(Index n, Index k, const double* diagonal, const double* in, double* out) {
    eliminate(n, k, diagonal, in, out, Size{blockIdx.x} * blockDim.x + threadIdx.x, Size{gridDim.x} * blockDim.x);
}

/// Rounding leaves the two triangles apart: the lower one counts.
__global__ void fill_kernel(Index n, const double* dense, std::int32_t* row_ptr, Index* col_idx, double* values) {
    for (Size i = blockIdx.x; i <= n; i += gridDim.x) {
        if (threadIdx.x == 0) row_ptr[i] = static_cast<std::int32_t>(i * n);
        for (Size j = threadIdx.x; j < n && i < n; j += blockDim.x) {
            col_idx[i * n + j] = static_cast<Index>(j);
            values[i * n + j] = dense[max(i, j) * n + min(i, j)];
        }
    }
}

}  // namespace

DeviceCsr<double> coarse_inverse(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& of) {
    const Index n = a.n_rows;
    const Size size = Size{n} * n;
    const cudaStream_t stream = backend.stream();
    DeviceVector<double> from(backend, size), to(backend, size);
    backend.zero_bytes(from.data(), from.bytes());
    const auto row_blocks = static_cast<unsigned>(n + 1);
    to_dense_kernel<<<row_blocks, 128, 0, stream>>>(cuda::CsrView<double>(a), from.data());
    if (n <= most_rows_of_block) {
        eliminate_all_kernel<<<1, threads, 0, stream>>>(n, of.diagonal.data(), from.data(), to.data());
        if (n % 2 != 0) std::swap(from, to);
    } else {
        const auto blocks = static_cast<unsigned>(backend.device().multiprocessors);
        for (Index k = 0; k < n; ++k) {
            eliminate_kernel<<<blocks, threads, 0, stream>>>(n, k, of.diagonal.data(), from.data(), to.data());
            std::swap(from, to);
        }
    }
    DeviceCsr<double> inverse;
    inverse.n_rows = inverse.n_cols = n;
    inverse.col_idx = DeviceVector<Index>(backend, size);
    inverse.values = DeviceVector<double>(backend, size);
    DeviceVector<std::int32_t> row_ptr(backend, Size{n} + 1);
    fill_kernel<<<row_blocks, 128, 0, stream>>>(n, from.data(), row_ptr.data(), inverse.col_idx.data(),
                                                inverse.values.data());
    check_cuda(cudaGetLastError(), "inverting the coarsest matrix");
    inverse.row_ptr = RowOffsets<DeviceMemory>(std::move(row_ptr));
    return inverse;
}

}  // namespace stiefel::amg
