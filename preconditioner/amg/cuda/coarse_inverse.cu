#include "stiefel/preconditioner/amg/cuda/coarse_inverse.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <utility>

namespace stiefel::amg {

namespace {

/// Rows and columns of a tile, and pivots that are eliminated together.
constexpr int tile = 32;

__global__ void to_dense_kernel(cuda::CsrView<double> a, double* dense) {
    for (Size i = blockIdx.x; i < a.n_rows; i += gridDim.x) {
        for (Size k = a.row_ptr[i] + threadIdx.x; k < a.row_ptr[i + 1]; k += blockDim.x) {
            dense[i * a.n_rows + a.col_idx[k]] = a.values[k];
        }
    }
}

using Tile = double[tile][tile + 1];

/// The inverse of a tile on the diagonal, pivot after pivot. One that counts as zero is left out with its row and
/// column.
__device__ void invert(Tile& a, const double* diagonal, int n) {
    constexpr double least = 1e-11;
    const int i = static_cast<int>(threadIdx.y), j = static_cast<int>(threadIdx.x);
    for (int k = 0; k < n; ++k) {
        const double pivot = a[k][k];
        const double inverse = pivot > least * diagonal[k] ? 1 / pivot : 0;
        const double row = a[k][j] * inverse, column = a[i][k];
        double value = a[i][j] - column * row;
        if (i == k) value = j == k ? inverse : row;
        if (i != k && j == k) value = -column * inverse;
        __syncthreads();
        a[i][j] = value;
        __syncthreads();
    }
}

__device__ double product(const Tile& a, const Tile& b) {
    double sum = 0;
    for (int k = 0; k < tile; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    return sum;
}

/// out = in after the elimination with the pivots from `first` on, a tile a block: with D the inverse of theirs,
/// A_IJ - A_IK D A_KJ,  D A_KJ in their rows,  -A_IK D in their columns.
__global__ void __launch_bounds__(tile* tile)
    eliminate_kernel(Index n, Index first, const double* diagonal, const double* in, double* out) {
    __shared__ Tile pivots, left, right, room;
    const auto ti = static_cast<int>(threadIdx.y), tj = static_cast<int>(threadIdx.x);
    const auto load = [&](Tile& to, Index i0, Index j0) {
        const bool inside = i0 + ti < n && j0 + tj < n;
        to[ti][tj] = inside ? in[Size{i0 + ti} * n + j0 + tj] : 0;
    };
    const auto i0 = static_cast<Index>(blockIdx.y) * tile, j0 = static_cast<Index>(blockIdx.x) * tile;
    const bool pivot_row = i0 == first, pivot_col = j0 == first;
    load(pivots, first, first);
    load(left, i0, first);
    load(right, first, j0);
    __syncthreads();
    invert(pivots, diagonal + first, min(tile, n - first));
    room[ti][tj] = product(pivots, right);  // D A_KJ
    __syncthreads();
    double value = 0;
    if (pivot_row) {
        value = pivot_col ? pivots[ti][tj] : room[ti][tj];
    } else if (pivot_col) {
        value = -product(left, pivots);
    } else {
        const bool inside = i0 + ti < n && j0 + tj < n;
        value = (inside ? in[Size{i0 + ti} * n + j0 + tj] : 0) - product(left, room);
    }
    if (i0 + ti < n && j0 + tj < n) out[Size{i0 + ti} * n + j0 + tj] = value;
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
    const auto tiles = static_cast<unsigned>((n + tile - 1) / tile);
    for (Index first = 0; first < n; first += tile) {
        eliminate_kernel<<<dim3(tiles, tiles), dim3(tile, tile), 0, stream>>>(n, first, of.diagonal.data(), from.data(),
                                                                              to.data());
        std::swap(from, to);
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
