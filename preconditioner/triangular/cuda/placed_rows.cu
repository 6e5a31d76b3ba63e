#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/triangular/cuda/placed_rows.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <algorithm>

namespace stiefel::triangular {

namespace {

constexpr int threads = 256;
/// That share a row; those of factors without fill have about as many entries.
constexpr int lanes_of_row = 4;

/// scale: of each column; null: 1.
template <class T>
__global__ void place_rows_kernel(cuda::CsrView<T> a, Index n_places, const Index* row, const Size* to,
                                  const Index* number, const T* scale, T factor, Index* cols, T* values) {
    begin_kernel();
    const Size thread = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    for (Size place = thread / lanes_of_row; place < n_places; place += Size{gridDim.x} * blockDim.x / lanes_of_row) {
        const Size first = a.row_ptr[row[place]], n = a.row_ptr[Size{row[place]} + 1] - first;
        for (Size e = thread % lanes_of_row; e < n; e += lanes_of_row) {
            const Index col = a.col_idx[first + e];
            const T own = scale != nullptr ? factor * scale[col] : factor;
            cols[to[place] + e] = number[col];
            values[to[place] + e] = own * a.values[first + e];
        }
    }
}

}  // namespace

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

template void place_rows(Cuda&, const DeviceCsr<double>&, const RowPlaces<double>&, DeviceVector<Index>&,
                         DeviceVector<double>&);
template void place_rows(Cuda&, const DeviceCsr<float>&, const RowPlaces<float>&, DeviceVector<Index>&,
                         DeviceVector<float>&);

}  // namespace stiefel::triangular
