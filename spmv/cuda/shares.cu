#include "stiefel/spmv/cuda/shares.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/cuda/longest_row.cuh"

#include <algorithm>
#include <array>

namespace stiefel {

namespace {

/// The first row that starts at the share's first nonzero or later, and nothing of it so far; and the length of the
/// longest row, where it is asked for.
template <class Offset>
__global__ void shares_kernel(Index n_rows, Index n_shares, const Offset* row_ptr, Index* first_row, double* split_dot,
                              unsigned* arrived, Index* longest) {
    const Size k = thread_number();
    if (longest != nullptr) cuda::raise_to(k < n_rows ? static_cast<Index>(row_ptr[k + 1] - row_ptr[k]) : 0, longest);
    if (k > n_shares) return;
    if (k < n_shares) {
        split_dot[k] = 0;
        arrived[k] = 0;
    }
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

}  // namespace

StartedShares::StartedShares(Size matrices) : matrices_(matrices) {}

CsrShares StartedShares::start(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz,
                               std::optional<Index> longest_row) {
    if (!longest_row && longest_.empty()) {
        longest_ = DeviceVector<Index>(backend, matrices_);
        backend.zero_bytes(longest_.data(), longest_.bytes());
    }
    Index* const to_longest = longest_row ? nullptr : longest_.data() + known_.size();
    CsrShares s;
    s.n_shares = static_cast<Index>(nnz / CsrShares::nonzeros + 1);
    s.first_row = DeviceVector<Index>(backend, Size{s.n_shares} + 1);
    const Size n_tiles = (n_rows + nnz) / CsrShares::merge_items + 1;
    s.carry = DeviceVector<double>(backend, std::max(2 * Size{s.n_shares}, n_tiles));
    s.carry_row = DeviceVector<Index>(backend, n_tiles);
    s.split_dot = DeviceVector<double>(backend, s.n_shares);
    s.arrived = DeviceVector<unsigned>(backend, s.n_shares);
    const unsigned blocks = element_blocks(std::max<Size>(n_rows, Size{s.n_shares} + 1));
    row_ptr.visit([&](const auto* offsets) {
        shares_kernel<<<blocks, element_threads, 0, backend.stream()>>>(
            n_rows, s.n_shares, offsets, s.first_row.data(), s.split_dot.data(), s.arrived.data(), to_longest);
    });
    check_cuda(cudaGetLastError(), "launching shares");
    known_.push_back(longest_row);
    return s;
}

void StartedShares::finish(Cuda& backend, std::span<CsrShares* const> shares) const {
    require(shares.size() == known_.size(), "shares: all that were started are finished at once");
    HostVector<Index> found(longest_.size());
    if (!longest_.empty()) download(backend, longest_, found);
    for (std::size_t m = 0; m < shares.size(); ++m) {
        shares[m]->longest_row = known_[m] ? *known_[m] : found[static_cast<Size>(m)];
        shares[m]->has_split_rows = shares[m]->longest_row > CsrShares::nonzeros;
    }
}

CsrShares csr_shares(Cuda& backend, const RowOffsets<DeviceMemory>& row_ptr, Index n_rows, Size nnz,
                     std::optional<Index> longest_row) {
    StartedShares started(1);
    CsrShares shares = started.start(backend, row_ptr, n_rows, nnz, longest_row);
    started.finish(backend, std::array{&shares});
    return shares;
}

}  // namespace stiefel
