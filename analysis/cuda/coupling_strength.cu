#include "stiefel/analysis/coupling_strength.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/core/cuda/lanes_max.cuh"
#include "stiefel/core/cuda/reduce.cuh"

#include <algorithm>

namespace stiefel {

namespace {

/// Lanes of a row; where rows are longer than so many turns of these, it has a warp.
constexpr int few_lanes = 8, few_turns = 3;

template <int row_lanes, class T, class Offset>
__global__ void __launch_bounds__(element_threads)
    roots_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values, double* roots) {
    const Size row = thread_number() / row_lanes;
    if (row >= n_rows) return;
    for (Offset k = row_ptr[row] + static_cast<Offset>(threadIdx.x % row_lanes); k < row_ptr[row + 1]; k += row_lanes) {
        if (col_idx[k] == row) roots[row] = rsqrt(static_cast<double>(values[k]));
    }
}

template <int row_lanes, class T, class Offset>
__global__ void __launch_bounds__(element_threads)
    couplings_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values, const double* roots,
                     PartialCouplings* of_block) {
    __shared__ double strongest_of_warp[element_threads / warp_size];
    const Index lane = static_cast<Index>(threadIdx.x) % row_lanes;
    const Size stride = Size{gridDim.x} * element_threads / row_lanes;
    double strongest = 0;
    double sums[3] = {0, 0, 0};  // of entries, of the diagonal, of each row's strongest
    // All lanes of a warp go round as often.
    for (Size first = thread_number() / warp_size * (warp_size / row_lanes); first < n_rows; first += stride) {
        const Size row = first + static_cast<Size>(threadIdx.x) % warp_size / row_lanes;
        double of_row = 0;
        if (row < n_rows) {
            const double root = roots[row];
            for (Offset k = row_ptr[row] + static_cast<Offset>(lane); k < row_ptr[row + 1]; k += row_lanes) {
                const auto value = static_cast<double>(values[k]);
                const Index col = col_idx[k];
                sums[0] += value;
                if (col == row) {
                    sums[1] += value;
                } else {
                    of_row = fmax(of_row, fabs(value) * root * roots[col]);
                }
            }
        }
        of_row = lanes_max<row_lanes>(of_row);
        if (lane == 0) sums[2] += of_row;
        strongest = fmax(strongest, of_row);
    }
    strongest = lanes_max(strongest);
    if (threadIdx.x % warp_size == 0) strongest_of_warp[threadIdx.x / warp_size] = strongest;
    block_sum(sums);  // ends with the block's threads together
    if (threadIdx.x != 0) return;
    for (const double one : strongest_of_warp) strongest = fmax(strongest, one);
    of_block[blockIdx.x] = {strongest, sums[2], sums[0], sums[1]};
}

}  // namespace

template <class T>
CouplingSearch::CouplingSearch(Cuda& backend, const DeviceCsr<T>& a) : n_rows_(a.n_rows), roots_(backend, a.n_rows) {
    if (n_rows_ == 0) return;
    const bool is_short = a.nnz() <= Size{few_turns} * few_lanes * n_rows_;
    const unsigned blocks = element_blocks(Size{n_rows_} * (is_short ? few_lanes : warp_size));
    of_block_ =
        DeviceVector<PartialCouplings>(backend, std::min<Size>(blocks, Size{4} * backend.device().multiprocessors));
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        const auto roots = is_short ? roots_kernel<few_lanes, T, Offset> : roots_kernel<warp_size, T, Offset>;
        const auto couplings =
            is_short ? couplings_kernel<few_lanes, T, Offset> : couplings_kernel<warp_size, T, Offset>;
        roots<<<blocks, element_threads, 0, backend.stream()>>>(n_rows_, row_ptr, a.col_idx.data(), a.values.data(),
                                                                roots_.data());
        couplings<<<static_cast<unsigned>(of_block_.size()), element_threads, 0, backend.stream()>>>(
            n_rows_, row_ptr, a.col_idx.data(), a.values.data(), roots_.data(), of_block_.data());
    });
    check_cuda(cudaGetLastError(), "looking for strong couplings");
}

CouplingStrength CouplingSearch::read(Cuda& backend) const {
    if (n_rows_ == 0) return {};
    HostVector<PartialCouplings> found(of_block_.size());
    download(backend, of_block_, found);
    PartialCouplings total;
    for (const PartialCouplings& partial : found) total.merge(partial);
    return total.of_rows(n_rows_);
}

template CouplingSearch::CouplingSearch(Cuda&, const DeviceCsr<double>&);
template CouplingSearch::CouplingSearch(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
