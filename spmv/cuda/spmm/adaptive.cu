#include "stiefel/spmv/cuda/spmm/adaptive.cuh"

namespace stiefel::cuda {

namespace {

constexpr int entries_per_lane = adaptive_room / warp_size;

/// The rows of a share, column after column: products in the order of memory into shared memory, then a lane a row adds
/// them up. Columns and values stay in registers from one column of the panel to the next.
template <class T, class Offset>
__device__ void stream_rows(const DeviceCsrRows<T, Offset>& rows, const SpmmArguments<T>& s, Index begin, Index end,
                            T* products) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const Offset first = rows.row_ptr[begin];
    const int n = static_cast<int>(rows.row_ptr[end] - first);
    T value[entries_per_lane];
    const T* x[entries_per_lane];
#pragma unroll
    for (int u = 0; u < entries_per_lane; ++u) {
        const int at = u * warp_size + lane;
        value[u] = at < n ? rows.values[first + at] : T{0};
        x[u] = at < n ? s.x + rows.col_idx[first + at] * s.ldx : nullptr;
    }
    for (Index column = 0; column < s.k; ++column) {
#pragma unroll
        for (int u = 0; u < entries_per_lane; ++u) {
            if (x[u] != nullptr) products[u * warp_size + lane] = value[u] * x[u][column];
        }
        __syncwarp();
        for (Index row = begin + lane; row < end; row += warp_size) {
            T sum = 0;
            const int to = static_cast<int>(rows.row_ptr[row + 1] - first);
            for (int at = static_cast<int>(rows.row_ptr[row] - first); at < to; ++at) sum += products[at];
            update_element(s.y + row * s.ldy + column, sum, s.alpha, s.beta);
        }
        __syncwarp();
    }
}

/// A row too long for shared memory, column after column: the lanes share its entries.
template <class T, class Offset>
__device__ void long_row(const DeviceCsrRows<T, Offset>& rows, const SpmmArguments<T>& s, Index row) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (Index column = 0; column < s.k; ++column) {
        T sum = 0;
        for (Offset at = rows.row_ptr[row] + lane; at < rows.row_ptr[row + 1]; at += warp_size) {
            sum += rows.values[at] * s.x[rows.col_idx[at] * s.ldx + column];
        }
        sum = lanes_sum(sum);
        if (lane == 0) update_element(s.y + row * s.ldy + column, sum, s.alpha, s.beta);
    }
}

template <class T, class Offset>
__global__ void __launch_bounds__(spmm_threads)
    adaptive_kernel(DeviceCsrRows<T, Offset> rows, Index n_shares, const Index* first_row, SpmmArguments<T> s) {
    begin_kernel();
    __shared__ T products[adaptive_warps][adaptive_room];
    for_shares_of_warp(n_shares, [&](Size k) {
        const ShareRows share(rows.row_ptr, first_row, k);
        stream_rows(rows, s, share.begin, share.end, products[threadIdx.x / warp_size]);
        if (share.has_long_row) long_row(rows, s, share.end);
    });
}

}  // namespace

template <class T>
void spmm_adaptive(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    with_rows(a, [&]<class Offset>(const DeviceCsrRows<T, Offset>& rows) {
        launch(backend, adaptive_kernel<T, Offset>, spmm_grid(a.shares.n_shares, adaptive_warps), spmm_threads,
               "launching spmm_adaptive", rows, a.shares.n_shares, a.shares.first_row.data(), s);
    });
}

template void spmm_adaptive(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_adaptive(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
