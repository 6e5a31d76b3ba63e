#include "stiefel/spmv/cuda/spmm/adaptive.cuh"

namespace stiefel::cuda {

namespace {

/// Entries of the matrix in shared memory: read in the order of memory, once for all columns.
template <class T>
struct StagedEntries {
    T value[adaptive_room];
    Index column[adaptive_room];
};

/// Adds `n` staged entries to a row of Y, the warp's lanes side by side along it.
template <class T>
__device__ void add_row(const StagedEntries<T>& staged, int begin, int end, const SpmmArguments<T>& s, Size row,
                        T beta) {
    for (Index column = static_cast<Index>(threadIdx.x) % warp_size; column < s.k; column += warp_size) {
        T sum = 0;
        for (int at = begin; at < end; ++at) sum += staged.value[at] * s.x[staged.column[at] * s.ldx + column];
        update_element(s.y + row * s.ldy + column, sum, s.alpha, beta);
    }
}

/// Copies entries first .. first + n, n <= adaptive_room.
template <class T, class Offset>
__device__ void stage(const DeviceCsrRows<T, Offset>& rows, Offset first, int n, StagedEntries<T>& staged) {
    __syncwarp();
    for (int at = static_cast<int>(threadIdx.x) % warp_size; at < n; at += warp_size) {
        staged.value[at] = rows.values[first + at];
        staged.column[at] = rows.col_idx[first + at];
    }
    __syncwarp();
}

template <class T, class Offset>
__global__ void __launch_bounds__(spmm_threads)
    adaptive_by_row_kernel(DeviceCsrRows<T, Offset> rows, Index n_shares, const Index* first_row, SpmmArguments<T> s) {
    begin_kernel();
    __shared__ StagedEntries<T> entries[adaptive_warps];
    StagedEntries<T>& staged = entries[threadIdx.x / warp_size];
    for_shares_of_warp(n_shares, [&](Size k) {
        const ShareRows share(rows.row_ptr, first_row, k);
        const Offset first = rows.row_ptr[share.begin];
        stage(rows, first, static_cast<int>(rows.row_ptr[share.end] - first), staged);
        for (Index row = share.begin; row < share.end; ++row) {
            add_row(staged, static_cast<int>(rows.row_ptr[row] - first),
                    static_cast<int>(rows.row_ptr[row + 1] - first), s, row, s.beta);
        }
        if (!share.has_long_row) return;
        const Offset end = rows.row_ptr[share.end + 1];
        for (Offset at = rows.row_ptr[share.end]; at < end; at += adaptive_room) {
            const int n = static_cast<int>(min(static_cast<Offset>(adaptive_room), static_cast<Offset>(end - at)));
            stage(rows, at, n, staged);
            add_row(staged, 0, n, s, share.end, at == rows.row_ptr[share.end] ? s.beta : T{1});
        }
    });
}

}  // namespace

template <class T>
void spmm_adaptive_by_row(Cuda& backend, const DeviceCsr<T>& a, const SpmmArguments<T>& s) {
    with_rows(a, [&]<class Offset>(const DeviceCsrRows<T, Offset>& rows) {
        launch(backend, adaptive_by_row_kernel<T, Offset>, spmm_grid(a.shares.n_shares, adaptive_warps), spmm_threads,
               "launching spmm_adaptive_by_row", rows, a.shares.n_shares, a.shares.first_row.data(), s);
    });
}

template void spmm_adaptive_by_row(Cuda&, const DeviceCsr<double>&, const SpmmArguments<double>&);
template void spmm_adaptive_by_row(Cuda&, const DeviceCsr<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
