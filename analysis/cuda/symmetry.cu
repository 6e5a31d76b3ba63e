#include "stiefel/analysis/symmetry.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"

#include <algorithm>

namespace stiefel {

namespace {

constexpr int search_lanes = 8;  // of a row

/// The position of `col` among the ascending columns of a row, or its end.
template <class Offset>
__device__ Offset find_column(const Index* col_idx, Offset low, Offset end, Index col) {
    for (Offset high = end; low < high;) {
        const Offset middle = low + (high - low) / 2;
        if (col_idx[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && col_idx[low] == col ? low : end;
}

template <class T, class Offset>
__global__ void mirror_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                              volatile int* differs) {
    const Size row = thread_number() / search_lanes;
    if (row >= n_rows) return;
    for (Offset k = row_ptr[row] + static_cast<Offset>(threadIdx.x % search_lanes); k < row_ptr[row + 1];
         k += search_lanes) {
        const Index col = col_idx[k];
        const Offset end = row_ptr[col + 1];
        const Offset image = find_column(col_idx, row_ptr[col], end, static_cast<Index>(row));
        const T mirrored = image < end ? values[image] : T{0};
        if (col != row && !(values[k] == mirrored)) *differs = 1;
        if (*differs != 0) return;
    }
}

}  // namespace

template <class T>
bool is_exactly_symmetric(Cuda& backend, const DeviceCsr<T>& a) {
    require(a.n_rows == a.n_cols, "is_exactly_symmetric: A must be square");
    if (a.n_rows == 0) return true;
    DeviceVector<int> differs(backend, 1);
    backend.zero_bytes(differs.data(), differs.bytes());
    const unsigned blocks = element_blocks(Size{a.n_rows} * search_lanes);
    a.row_ptr.visit([&](const auto* row_ptr) {
        mirror_kernel<<<blocks, element_threads, 0, backend.stream()>>>(a.n_rows, row_ptr, a.col_idx.data(),
                                                                        a.values.data(), differs.data());
    });
    check_cuda(cudaGetLastError(), "comparing a matrix with its transpose");
    return load(backend, differs) == 0;
}

template bool is_exactly_symmetric(Cuda&, const DeviceCsr<double>&);
template bool is_exactly_symmetric(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
