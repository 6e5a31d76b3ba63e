#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/check_csr.hpp"
#include "stiefel/spmv/csr_faults.hpp"
#include "stiefel/spmv/cuda/shares.hpp"

namespace stiefel {

namespace {

__device__ Index thread_row() {
    return static_cast<Index>(thread_number());
}

template <class Offset>
__global__ void offsets_kernel(const Offset* row_ptr, Index n_rows, Size nnz, Index* first) {
    const Index row = thread_row();
    if (row < n_rows && !offsets_are_right(row_ptr, row, nnz)) atomicMin(first, row);
}

template <class Offset>
__global__ void columns_kernel(const Offset* row_ptr, const Index* col_idx, Index n_rows, Index n_cols, Index* first) {
    const Index row = thread_row();
    if (row < n_rows && !columns_are_right(row_ptr, col_idx, row, n_cols)) atomicMin(first, row);
}

/// The least row that a kernel, started by run(first), found at fault; n_rows if it found none.
template <class F>
Index first_row(Cuda& backend, Index n_rows, F&& run) {
    DeviceVector<Index> first(backend, 1);
    store(backend, n_rows, first);
    run(first.data());
    check_cuda(cudaGetLastError(), "checking a matrix");
    return load(backend, first);
}

}  // namespace

template <class T>
void check_csr(Cuda& backend, const DeviceCsr<T>& a) {
    require_csr_sizes(a);
    a.row_ptr.visit([&](const auto* row_ptr) {
        require_csr_ends(load(backend, row_ptr), load(backend, row_ptr + a.n_rows), a.nnz());
        const Index out_of_order = first_row(backend, a.n_rows, [&](Index* first) {
            offsets_kernel<<<element_blocks(a.n_rows), element_threads, 0, backend.stream()>>>(row_ptr, a.n_rows,
                                                                                               a.nnz(), first);
        });
        if (out_of_order < a.n_rows) throw_bad_offsets(out_of_order);
        const Index bad_columns = first_row(backend, a.n_rows, [&](Index* first) {
            columns_kernel<<<element_blocks(a.n_rows), element_threads, 0, backend.stream()>>>(
                row_ptr, a.col_idx.data(), a.n_rows, a.n_cols, first);
        });
        if (bad_columns < a.n_rows) throw_bad_columns(bad_columns, a.n_cols);
    });
}

template <class T>
void prepare_csr(Cuda& backend, DeviceCsr<T>& a, std::optional<Index> longest_row) {
    a.shares = csr_shares(backend, a.row_ptr, a.n_rows, a.nnz(), longest_row);
}

template void prepare_csr(Cuda&, DeviceCsr<double>&, std::optional<Index>);
template void prepare_csr(Cuda&, DeviceCsr<float>&, std::optional<Index>);

template void check_csr(Cuda&, const DeviceCsr<double>&);
template void check_csr(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
