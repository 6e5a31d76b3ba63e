#include "stiefel/preconditioner/amg/ranks/cuda/matrix_parts.hpp"

#include "stiefel/core/cuda/device_world.cuh"
#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/early/ranks.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

/// Which entries are taken.
struct Taken {
    MatrixPart part;
    bool is_inside;

    __device__ bool operator()(Index col) const {
        return is_inside == (col >= part.first_col && col - part.first_col < part.n_cols);
    }
    __device__ Index number(Index col) const { return is_inside ? col - part.first_col : col; }
};

__global__ void part_lengths_kernel(View a, Taken taken, Index* lengths) {
    const Size i = RowLanes<1>().row;
    if (i >= taken.part.n_rows) return;
    const Size row = taken.part.first_row + i;
    Index length = 0;
    for (Size k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) length += taken(a.col_idx[k]) ? 1 : 0;
    lengths[i] = length;
}

__global__ void part_kernel(View a, Taken taken, const Size* row_ptr, Index* cols, double* values) {
    const Size i = RowLanes<1>().row;
    if (i >= taken.part.n_rows) return;
    const Size row = taken.part.first_row + i;
    Size to = row_ptr[i];
    for (Size k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
        const Index col = a.col_idx[k];
        if (!taken(col)) continue;
        cols[to] = taken.number(col);
        values[to++] = a.values[k];
    }
}

template <class V>
__global__ void numbers_at_kernel(Size n, const V* numbers, const Index* places, V* found) {
    const Size i = RowLanes<1>().row;
    if (i < n) found[i] = numbers[places[i]];
}

__global__ void shift_kernel(Size n, Index* places, Index by) {
    const Size i = RowLanes<1>().row;
    if (i < n) places[i] += by;
}

struct Firsts {
    static constexpr int most = DeviceWorld::most_ranks;

    int n;
    Size of[most];
};

/// Rows by the rank of their middle entry; one without entries is the first's.
__global__ void middles_kernel(View a, Firsts firsts, unsigned* counts) {
    __shared__ unsigned here[Firsts::most];
    if (threadIdx.x < Firsts::most) here[threadIdx.x] = 0;
    __syncthreads();
    const Size i = RowLanes<1>().row;
    if (i < a.n_rows) {
        const Size begin = a.row_ptr[i], end = a.row_ptr[i + 1];
        const Index middle = begin < end ? a.col_idx[begin + (end - begin) / 2] : 0;
        int rank = firsts.n - 1;
        while (rank > 0 && firsts.of[rank] > middle) --rank;
        atomicAdd(&here[rank], 1u);
    }
    __syncthreads();
    if (threadIdx.x < Firsts::most && here[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
}

DeviceCsr<double> taken_of(Cuda& backend, const DeviceCsr<double>& a, const Taken& taken) {
    const unsigned blocks = RowLanes<1>::blocks(taken.part.n_rows);
    const cudaStream_t stream = backend.stream();
    DeviceVector<Index> lengths(backend, taken.part.n_rows);
    part_lengths_kernel<<<blocks, row_threads, 0, stream>>>(View(a), taken, lengths.data());
    const cuda::Offsets<Index> offsets(backend, lengths);
    const DeviceVector<Size> row_ptr = offsets.template in<Size>(backend);
    const Size nnz = load(backend, offsets.total());
    DeviceCsr<double> part;
    part.n_rows = taken.part.n_rows;
    part.n_cols = taken.is_inside ? taken.part.n_cols : a.n_cols;
    part.col_idx = DeviceVector<Index>(backend, nnz);
    part.values = DeviceVector<double>(backend, nnz);
    part.row_ptr = offsets.row_offsets(backend, nnz);
    part_kernel<<<blocks, row_threads, 0, stream>>>(View(a), taken, row_ptr.data(), part.col_idx.data(),
                                                    part.values.data());
    check_cuda(cudaGetLastError(), "taking a part of a matrix");
    return part;
}

}  // namespace

DeviceCsr<double> inside(Cuda& backend, const DeviceCsr<double>& a, const MatrixPart& part) {
    return taken_of(backend, a, {part, true});
}

DeviceCsr<double> outside(Cuda& backend, const DeviceCsr<double>& a, const MatrixPart& part) {
    return taken_of(backend, a, {part, false});
}

DeviceVector<double> part_of(Cuda& backend, const DeviceVector<double>& numbers, Index first, Index n) {
    DeviceVector<double> part(backend, n);
    if (n > 0) backend.copy_bytes(part.data(), numbers.data() + first, part.bytes());
    return part;
}

template <class V>
HostVector<V> numbers_at(Cuda& backend, const DeviceVector<V>& numbers, const HostVector<Index>& places) {
    HostVector<V> here(places.size());
    if (places.empty()) return here;
    DeviceVector<Index> there(backend, places.size());
    upload(backend, places, there);
    DeviceVector<V> found(backend, places.size());
    numbers_at_kernel<<<RowLanes<1>::blocks(places.size()), row_threads, 0, backend.stream()>>>(
        places.size(), numbers.data(), there.data(), found.data());
    check_cuda(cudaGetLastError(), "looking at some numbers");
    download(backend, found, here);
    return here;
}

template HostVector<double> numbers_at(Cuda&, const DeviceVector<double>&, const HostVector<Index>&);
template HostVector<Index> numbers_at(Cuda&, const DeviceVector<Index>&, const HostVector<Index>&);

RowBlocks rows_beside(Cuda& backend, const DeviceCsr<double>& a, const RowBlocks& columns) {
    Firsts firsts{.n = columns.n_ranks(), .of = {}};
    for (int rank = 0; rank < firsts.n; ++rank) firsts.of[rank] = columns.first(rank);
    DeviceVector<unsigned> counts(backend, Firsts::most);
    backend.zero_bytes(counts.data(), counts.bytes());
    middles_kernel<<<RowLanes<1>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(View(a), firsts, counts.data());
    check_cuda(cudaGetLastError(), "dealing out rows");
    HostVector<unsigned> found(counts.size());
    download(backend, counts, found);
    std::vector<Size> first{0};
    for (int rank = 0; rank < firsts.n; ++rank) first.push_back(first.back() + found[rank]);
    return RowBlocks(std::move(first));
}

void shift(Cuda& backend, DeviceVector<Index>& places, Index by) {
    shift_kernel<<<RowLanes<1>::blocks(places.size()), row_threads, 0, backend.stream()>>>(places.size(), places.data(),
                                                                                           by);
    check_cuda(cudaGetLastError(), "numbering columns");
}

}  // namespace stiefel::amg
