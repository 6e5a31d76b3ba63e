#include "stiefel/spmv/cuda/row_kernel.cuh"

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
    double* carry;  // by share: of the row that reaches into it, of the row that is split from it on
    double* split_dot;
    unsigned* arrived;
    RowOutput<T> out;
};

/// Rows no longer than a share: their entries are multiplied in the order of memory into shared memory and summed there
/// by as many lanes a row as the block has to spare.
template <class T, class Offset>
__device__ double stream_rows(const AdaptiveArguments<T, Offset>& a, Index begin, Index end) {
    __shared__ T product[2 * share];
    const Offset first = a.row_ptr[begin];
    const int n = static_cast<int>(a.row_ptr[end] - first);
#pragma unroll 4
    for (int k = static_cast<int>(threadIdx.x); k < n; k += block_threads) {
        product[k] = load_once(a.values + first + k) * __ldg(a.out.x + load_once(a.col_idx + first + k));
    }
    __syncthreads();
    int lanes = warp_size;
    while (lanes > 1 && (end - begin) * lanes > block_threads) lanes /= 2;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    double dot = 0;
    for (Index row = begin + static_cast<Index>(threadIdx.x) / lanes; __any_sync(all_lanes, row < end);
         row += block_threads / lanes) {
        T sum = 0;
        if (row < end) {
            const int to = static_cast<int>(a.row_ptr[row + 1] - first);
            for (int k = static_cast<int>(a.row_ptr[row] - first) + lane; k < to; k += lanes) sum += product[k];
        }
        for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
        if (row < end && lane == 0) dot += a.out.store(row, sum);
    }
    __syncthreads();
    return dot;
}

/// One block's part of a split row, entries begin .. end; `slot` is its place among the carries. The block that
/// finishes last adds up all parts in their order and stores the row.
template <class T, class Offset>
__device__ void split_row(const AdaptiveArguments<T, Offset>& a, Index row, Offset begin, Offset end, Size slot) {
    __shared__ bool is_last;
    double sums[1] = {};
#pragma unroll 4
    for (Offset k = begin + static_cast<Offset>(threadIdx.x); k < end; k += block_threads) {
        sums[0] += static_cast<double>(load_once(a.values + k) * __ldg(a.out.x + load_once(a.col_idx + k)));
    }
    block_sum(sums);
    const Size owner = a.row_ptr[row] / share;
    const Size last = (a.row_ptr[row + 1] - 1) / share;
    if (threadIdx.x == 0) {
        a.carry[slot] = sums[0];
        __threadfence();
        const auto parts = static_cast<unsigned>(last - owner);
        is_last = atomicInc(a.arrived + owner, parts) == parts;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    sums[0] = threadIdx.x == 0 ? __ldcg(a.carry + 2 * owner + 1) : 0.0;
    for (Size k = owner + 1 + threadIdx.x; k <= last; k += block_threads) sums[0] += __ldcg(a.carry + 2 * k);
    block_sum(sums);
    if (threadIdx.x == 0) a.split_dot[owner] = a.out.store(row, static_cast<T>(sums[0]));
    __syncthreads();
}

/// A block for the rows that start in a share of the nonzeros, and for its share of a longer row that reaches into it.
template <class T, class Offset>
__global__ void __launch_bounds__(block_threads) csr_adaptive_kernel(AdaptiveArguments<T, Offset> a) {
    double dot = 0;
    for (Size k = blockIdx.x; k < a.n_shares; k += gridDim.x) {
        const Offset share_begin = static_cast<Offset>(k * share);
        const Offset share_end = static_cast<Offset>(min((k + 1) * share, a.nnz));
        const Index begin = a.first_row[k];
        Index end = a.first_row[k + 1];
        if (begin > 0) {
            const Offset from = a.row_ptr[begin - 1];
            const Offset to = a.row_ptr[begin];
            if (to > share_begin && to - from > share) {
                split_row(a, begin - 1, share_begin, min(to, share_end), 2 * k);
            }
        }
        if (begin == end) continue;
        const Offset last_begin = a.row_ptr[end - 1];
        const bool splits = a.row_ptr[end] - last_begin > share;
        if (splits) --end;
        dot += stream_rows(a, begin, end);
        if (splits) split_row(a, end, last_begin, share_end, 2 * k + 1);
    }
    a.out.finish(dot, a.split_dot, a.split_dot != nullptr ? a.n_shares : 0);
}

}  // namespace

template <class T>
void csr_adaptive(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    const CsrShares& shares = a.shares;
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        csr_adaptive_kernel<<<grid_for(shares.n_shares, 1), block_threads, 0, backend.stream()>>>(
            AdaptiveArguments<T, Offset>{.n_rows = a.n_rows,
                                         .nnz = a.nnz(),
                                         .row_ptr = row_ptr,
                                         .col_idx = a.col_idx.data(),
                                         .values = a.values.data(),
                                         .n_shares = shares.n_shares,
                                         .first_row = shares.first_row.data(),
                                         .carry = shares.carry.data(),
                                         .split_dot = shares.has_split_rows ? shares.split_dot.data() : nullptr,
                                         .arrived = shares.arrived.data(),
                                         .out = RowOutput<T>(backend, s)});
    });
    check_cuda(cudaGetLastError(), "launching csr_adaptive");
}

template void csr_adaptive(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_adaptive(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
