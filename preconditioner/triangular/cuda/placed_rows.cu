#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/preconditioner/triangular/cuda/placed_rows.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <algorithm>
#include <cstdint>

namespace stiefel::triangular {

namespace {

constexpr int threads = 256;
/// That share a row; those of factors without fill have about as many entries.
constexpr int lanes_of_row = 4;

__global__ void add_lengths_kernel(Index n, cuda::OffsetsView row_ptr, Index* lengths) {
    begin_kernel();
    const Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) lengths[i] += static_cast<Index>(row_ptr[i + 1] - row_ptr[i]);
}

__global__ void lengths_in_order_kernel(Index n, const Index* lengths, const Index* row, Index* to) {
    begin_kernel();
    const Size k = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (k < n) to[k] = lengths[row[k]];
}

int blocks_for(Index n) {
    return std::max((n + threads - 1) / threads, 1);
}

/// scale: of each column; null: 1.
template <class T>
__global__ void place_rows_kernel(cuda::CsrView<T> a, Index n_places, const Index* row, Size* to, const Index* number,
                                  const T* scale, T factor, Index* cols, T* values) {
    begin_kernel();
    const Size thread = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned group = ((1u << lanes_of_row) - 1) << (threadIdx.x % warp_size / lanes_of_row * lanes_of_row);
    for (Size place = thread / lanes_of_row; place < n_places; place += Size{gridDim.x} * blockDim.x / lanes_of_row) {
        const Size first = a.row_ptr[row[place]], n = a.row_ptr[Size{row[place]} + 1] - first, begin = to[place];
        for (Size e = thread % lanes_of_row; e < n; e += lanes_of_row) {
            const Index col = a.col_idx[first + e];
            const T own = scale != nullptr ? factor * scale[col] : factor;
            cols[begin + e] = number[col];
            values[begin + e] = own * a.values[first + e];
        }
        __syncwarp(group);
        if (thread % lanes_of_row == 0) to[place] = begin + n;
    }
}

}  // namespace

template <class T>
void add_row_lengths(Cuda& backend, const DeviceCsr<T>& a, DeviceVector<Index>& lengths) {
    launch(backend, add_lengths_kernel, blocks_for(a.n_rows), threads, "adding lengths of rows", a.n_rows,
           cuda::OffsetsView(a.row_ptr), lengths.data());
}

DeviceVector<Size> starts_in_order(Cuda& backend, const DeviceVector<Index>& lengths, const DeviceVector<Index>& row) {
    const auto n = static_cast<Index>(row.size());
    DeviceVector<Index> in_order(backend, n);
    DeviceVector<std::int64_t> starts(backend, Size{n} + 1);
    launch(backend, lengths_in_order_kernel, blocks_for(n), threads, "ordering lengths of rows", n, lengths.data(),
           row.data(), in_order.data());
    cuda::offsets_from_counts(backend, in_order, starts);
    return starts;
}

template <class T>
void place_rows(Cuda& backend, const DeviceCsr<T>& a, const RowPlaces<T>& places, DeviceVector<Index>& cols,
                DeviceVector<T>& values) {
    constexpr Size most_blocks = 1 << 16;
    const auto n = static_cast<Index>(places.row.size());
    if (n == 0) return;
    const Size blocks = std::min<Size>((Size{n} * lanes_of_row + threads - 1) / threads, most_blocks);
    launch(backend, place_rows_kernel<T>, static_cast<int>(blocks), threads, "placing the rows of triangles",
           cuda::CsrView<T>(a), n, places.row.data(), places.to.data(), places.number.data(),
           places.scale != nullptr ? places.scale->data() : nullptr, places.factor, cols.data(), values.data());
}

template void add_row_lengths(Cuda&, const DeviceCsr<double>&, DeviceVector<Index>&);
template void add_row_lengths(Cuda&, const DeviceCsr<float>&, DeviceVector<Index>&);
template void place_rows(Cuda&, const DeviceCsr<double>&, const RowPlaces<double>&, DeviceVector<Index>&,
                         DeviceVector<double>&);
template void place_rows(Cuda&, const DeviceCsr<float>&, const RowPlaces<float>&, DeviceVector<Index>&,
                         DeviceVector<float>&);

}  // namespace stiefel::triangular
