#include "stiefel/spmv/cuda/shares.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/longest_row.cuh"

#include <algorithm>

namespace stiefel {

namespace {

/// The first row that starts at the share's first nonzero or later; and the length of the longest row.
template <class Offset>
__global__ void shares_kernel(Index n_rows, Index n_shares, const Offset* row_ptr, Index* first_row, Index* longest) {
    const Size k = thread_number();
    cuda::raise_to(k < n_rows ? static_cast<Index>(row_ptr[k + 1] - row_ptr[k]) : 0, longest);
    if (k > n_shares) return;
    Index low = 0;
    Index high = n_rows;
    while (low < high && k < n_shares) {
        const Index middle = low + (high - low) / 2;
        if (row_ptr[middle] < k * CsrShares::nonzeros) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    first_row[k] = k < n_shares ? low : n_rows;
}

template <class T>
DeviceVector<T> zeros(Cuda& backend, Size n) {
    DeviceVector<T> v(backend, n);
    backend.zero_bytes(v.data(), v.bytes());
    return v;
}

}  // namespace

CsrShares csr_shares(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz) {
    CsrShares s;
    s.n_shares = static_cast<Index>(nnz / CsrShares::nonzeros + 1);
    s.first_row = DeviceVector<Index>(backend, Size{s.n_shares} + 1);
    const Size n_tiles = (n_rows + nnz) / CsrShares::merge_items + 1;
    s.carry = DeviceVector<double>(backend, std::max(2 * Size{s.n_shares}, n_tiles));
    s.carry_row = DeviceVector<Index>(backend, n_tiles);
    s.split_dot = zeros<double>(backend, s.n_shares);
    s.arrived = zeros<unsigned>(backend, s.n_shares);
    auto longest = zeros<Index>(backend, 1);
    const unsigned blocks = element_blocks(std::max<Size>(n_rows, Size{s.n_shares} + 1));
    row_ptr.visit([&](const auto* offsets) {
        shares_kernel<<<blocks, element_threads, 0, backend.stream()>>>(n_rows, s.n_shares, offsets, s.first_row.data(),
                                                                        longest.data());
    });
    check_cuda(cudaGetLastError(), "launching shares");
    s.longest_row = load(backend, longest);
    s.has_split_rows = s.longest_row > CsrShares::nonzeros;
    return s;
}

}  // namespace stiefel
