#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/spmv/cuda/split_rows.cuh"

namespace stiefel::cuda {

namespace {

constexpr Size share = CsrShares::nonzeros;

template <class T, class Offset>
struct AdaptiveArguments {
    Index n_rows;
    Size nnz;
    const Offset* row_ptr;
    const Index* col_idx;
    const T* values;
    Index n_shares;
    const Index* first_row;
    SplitRows<share> split;
    bool has_split_rows;
    RowOutput<T> out;
};

/// Rows no longer than a share: their entries are multiplied in the order of memory into shared memory and summed there
/// by as many lanes a row as the warp has to spare.
template <class T, class Offset>
__device__ double stream_rows(const AdaptiveArguments<T, Offset>& a, Index begin, Index end, T* product) {
    const int thread = static_cast<int>(threadIdx.x) % warp_size;
    const Offset first = a.row_ptr[begin];
    const int n = static_cast<int>(a.row_ptr[end] - first);
    constexpr int batch = share / warp_size;
    for (int base = 0; base < n; base += batch * warp_size) {
        Index col[batch];
        T value[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int k = base + u * warp_size + thread;
            col[u] = k < n ? load_once(a.col_idx + first + k) : 0;
            value[u] = k < n ? load_once(a.values + first + k) : T{0};
        }
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int k = base + u * warp_size + thread;
            if (k < n) product[k] = value[u] * __ldg(a.out.x + col[u]);
        }
    }
    __syncwarp();
    int lanes = warp_size;
    while (lanes > 1 && (end - begin) * lanes > warp_size) lanes /= 2;
    const int lane = thread % lanes;
    double dot = 0;
    for (Index row = begin + thread / lanes; __any_sync(all_lanes, row < end); row += warp_size / lanes) {
        T sum = 0;
        if (row < end) {
            const int to = static_cast<int>(a.row_ptr[row + 1] - first);
            for (int k = static_cast<int>(a.row_ptr[row] - first) + lane; k < to; k += lanes) sum += product[k];
        }
        for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
        if (row < end && lane == 0) dot += a.out.store(row, sum);
    }
    __syncwarp();
    return dot;
}

/// One warp's part of a split row, entries begin .. end.
template <class T, class Offset>
__device__ void split_row(const AdaptiveArguments<T, Offset>& a, Index row, Offset begin, Offset end, Size of_share,
                          bool starts) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    double sum = 0;
#pragma unroll 4
    for (Offset k = begin + lane; k < end; k += warp_size) {
        sum += static_cast<double>(load_once(a.values + k) * __ldg(a.out.x + load_once(a.col_idx + k)));
    }
    a.split.add(a.out, a.row_ptr, row, of_share, starts, lanes_sum(sum));
}

/// A warp for the rows that start in a share of the nonzeros, and for its share of a longer row that reaches into it.
template <class T, class Offset>
__global__ void __launch_bounds__(block_threads) csr_adaptive_kernel(AdaptiveArguments<T, Offset> a) {
    begin_kernel();
    __shared__ T products[block_threads / warp_size][2 * share];
    double dot = 0;
    for (Size k = a.out.thread() / warp_size; k < a.n_shares; k += Size{gridDim.x} * (block_threads / warp_size)) {
        const Offset share_begin = static_cast<Offset>(k * share);
        const Offset share_end = static_cast<Offset>(min((k + 1) * share, a.nnz));
        const Index begin = a.first_row[k];
        Index end = a.first_row[k + 1];
        if (begin > 0) {
            const Offset from = a.row_ptr[begin - 1];
            const Offset to = a.row_ptr[begin];
            if (to > share_begin && to - from > share) {
                split_row(a, begin - 1, share_begin, min(to, share_end), k, false);
            }
        }
        if (begin == end) continue;
        const Offset last_begin = a.row_ptr[end - 1];
        const bool splits = a.row_ptr[end] - last_begin > share;
        if (splits) --end;
        dot += stream_rows(a, begin, end, products[threadIdx.x / warp_size]);
        if (splits) split_row(a, end, last_begin, share_end, k, true);
    }
    a.out.finish(dot, a.split.dot, a.has_split_rows ? a.n_shares : 0);
}

}  // namespace

template <class T>
void csr_adaptive(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    const CsrShares& shares = a.shares;
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(
            backend, csr_adaptive_kernel<T, Offset>, grid_for(backend, s, shares.n_shares, block_threads / warp_size),
            block_threads, "launching csr_adaptive",
            AdaptiveArguments<T, Offset>{.n_rows = a.n_rows,
                                         .nnz = a.nnz(),
                                         .row_ptr = row_ptr,
                                         .col_idx = a.col_idx.data(),
                                         .values = a.values.data(),
                                         .n_shares = shares.n_shares,
                                         .first_row = shares.first_row.data(),
                                         .split = {shares.carry.data(), shares.split_dot.data(), shares.arrived.data()},
                                         .has_split_rows = shares.has_split_rows,
                                         .out = RowOutput<T>(backend, s)});
    });
}

template void csr_adaptive(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_adaptive(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
