#include "stiefel/preconditioner/amg/ranks/cuda/whole_matrix.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/early/ranks.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"
#include "stiefel/world/cuda/device_gather.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

/// What rows have in columns of other ranks, whose numbers are those over all ranks.
struct Beside {
    const Index* of_row;  ///< the number of a row here; -1 where it has nothing
    const Size* row_ptr;
    const Index* col_idx;
    const double* values;
};

__global__ void number_boundary_kernel(Size n, const Index* boundary, Index* of_row) {
    const Size b = RowLanes<1>().row;
    if (b < n) of_row[boundary[b]] = static_cast<Index>(b);
}

__global__ void joined_lengths_kernel(View own, Beside beside, Index* lengths) {
    const Size i = RowLanes<1>().row;
    if (i >= own.n_rows) return;
    const Index b = beside.of_row[i];
    const Size more = b < 0 ? 0 : beside.row_ptr[b + 1] - beside.row_ptr[b];
    lengths[i] = static_cast<Index>(own.row_ptr[i + 1] - own.row_ptr[i] + more);
}

/// first: the number over all ranks of the first own column.
template <int lanes>
__global__ void join_kernel(View own, Beside beside, Index first, const Size* row_ptr, Index* cols, double* values) {
    const RowLanes<lanes> at;
    const Size i = at.row;
    if (i >= own.n_rows) return;
    const Size own_begin = own.row_ptr[i], own_end = own.row_ptr[i + 1];
    const Index b = beside.of_row[i];
    Size to = row_ptr[i];
    if (b >= 0) {
        const Size begin = beside.row_ptr[b], end = beside.row_ptr[b + 1];
        Size before = begin;  // those of ranks before this one
        while (before < end && beside.col_idx[before] < first) ++before;
        const Size behind = to + own_end - own_begin;
        for (Size k = begin + at.lane; k < end; k += lanes) {
            const Size place = (k < before ? to : behind) + (k - begin);
            cols[place] = beside.col_idx[k];
            values[place] = beside.values[k];
        }
        to += before - begin;
    }
    for (Size k = own_begin + at.lane; k < own_end; k += lanes) {
        cols[to + (k - own_begin)] = first + own.col_idx[k];
        values[to + (k - own_begin)] = own.values[k];
    }
}

template <class T>
DeviceVector<T> on_device(Cuda& backend, const HostVector<T>& here) {
    DeviceVector<T> there(backend, here.size());
    upload(backend, here, there);
    return there;
}

/// Rows of this rank as those of the whole, but for their offsets.
struct RowsOfWhole {
    DeviceVector<Index> lengths, col_idx;
    DeviceVector<double> values;
};

RowsOfWhole joined(Cuda& backend, Index first, const DeviceCsr<double>& own, const SplitRows<double>& split) {
    const Index n = own.n_rows;
    const cudaStream_t stream = backend.stream();
    HostVector<Size> offsets(Size{split.beyond.n_rows} + 1);
    split.beyond.row_ptr.visit([&](const auto* from) {
        for (Size b = 0; b < offsets.size(); ++b) offsets[b] = from[b];
    });
    HostVector<Index> columns(split.beyond.nnz());
    for (Size k = 0; k < columns.size(); ++k) {
        columns[k] = static_cast<Index>(split.ghosts[static_cast<std::size_t>(split.beyond.col_idx[k])]);
    }
    const auto beyond_ptr = on_device(backend, offsets);
    const auto beyond_cols = on_device(backend, columns);
    const auto beyond_values = on_device(backend, split.beyond.values);
    const auto boundary = on_device(backend, split.boundary);
    DeviceVector<Index> of_row(backend, n);
    if (n > 0) {
        check_cuda(cudaMemsetAsync(of_row.data(), 0xff, static_cast<std::size_t>(of_row.bytes()), stream),
                   "joining the rows of a matrix");
    }
    number_boundary_kernel<<<RowLanes<1>::blocks(boundary.size()), row_threads, 0, stream>>>(
        boundary.size(), boundary.data(), of_row.data());
    const Beside beside{of_row.data(), beyond_ptr.data(), beyond_cols.data(), beyond_values.data()};
    const View view(own);
    RowsOfWhole rows{DeviceVector<Index>(backend, n), DeviceVector<Index>(backend, own.nnz() + split.beyond.nnz()),
                     DeviceVector<double>(backend, own.nnz() + split.beyond.nnz())};
    joined_lengths_kernel<<<RowLanes<1>::blocks(n), row_threads, 0, stream>>>(view, beside, rows.lengths.data());
    const DeviceVector<Size> row_ptr = cuda::Offsets<Index>(backend, rows.lengths).template in<Size>(backend);
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        join_kernel<lanes()><<<RowLanes<lanes()>::blocks(n), row_threads, 0, stream>>>(
            view, beside, first, row_ptr.data(), rows.col_idx.data(), rows.values.data());
    });
    check_cuda(cudaGetLastError(), "joining the rows of a matrix");
    return rows;
}

}  // namespace

DeviceCsr<double> whole_matrix(Cuda& backend, CudaWorld& world, const RowBlocks& rows, const DeviceCsr<double>& own,
                               const SplitRows<double>& split) {
    const RowsOfWhole here = joined(backend, static_cast<Index>(rows.first(world.rank())), own, split);
    DeviceCsr<double> all;
    all.n_rows = all.n_cols = static_cast<Index>(rows.n_rows());
    const DeviceVector<Index> lengths = gathered(backend, world, here.lengths);
    all.col_idx = gathered(backend, world, here.col_idx);
    all.values = gathered(backend, world, here.values);
    all.row_ptr = cuda::Offsets<Index>(backend, lengths).row_offsets(backend, all.nnz());
    return all;
}

}  // namespace stiefel::amg
