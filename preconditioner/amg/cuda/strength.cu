#include "stiefel/preconditioner/amg/cuda/strength.hpp"

#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

__global__ void diagonal_kernel(View a, double* diagonal, double* inverse_root, LevelFacts* facts) {
    const Size i = RowLanes<1>().row;
    double entry = 0;
    if (i < a.n_rows) {
        Size low = a.row_ptr[i], high = a.row_ptr[i + 1];
        const Size end = high;
        while (low < high) {
            const Size middle = low + (high - low) / 2;
            if (a.col_idx[middle] < i) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < end && a.col_idx[low] == i) entry = a.values[low];
        diagonal[i] = entry;
        inverse_root[i] = 1 / sqrt(entry);
        if (!(entry > 0) || isinf(entry)) atomicMin(&facts->first_bad_row, static_cast<Index>(i));
    }
    const double known = __shfl_sync(all_lanes, entry, 0);  // of the warp's first row, for lanes without one
    const double own = i < a.n_rows ? entry : known;
    auto least = static_cast<unsigned long long>(__double_as_longlong(own));
    for (int step = warp_size / 2; step > 0; step /= 2) least = min(least, __shfl_xor_sync(all_lanes, least, step));
    const bool has_rows = i - threadIdx.x % warp_size < a.n_rows;
    if (has_rows && threadIdx.x % warp_size == 0 &&
        least < *static_cast<volatile unsigned long long*>(&facts->least_diagonal)) {
        atomicMin(&facts->least_diagonal, least);
    }
    raise(&facts->most_diagonal, has_rows ? own : 0.0);
}

/// m_i, and facts. Rows are counted where the host counts them: see find_components().
template <int lanes>
__global__ void rows_kernel(View a, const double* inverse_root, double* largest, LevelFacts* facts) {
    const RowLanes<lanes> at;
    const Size i = at.row;
    double most = 0, absolute = 0, positive = 0;
    if (i < a.n_rows) {
        for (Size k = a.row_ptr[i] + at.lane; k < a.row_ptr[i + 1]; k += lanes) {
            const Index j = a.col_idx[k];
            const double value = a.values[k];
            if (j == i) continue;
            most = max(most, abs(value) * (inverse_root[i] * inverse_root[j]));
            absolute += abs(value);
            positive += max(value, 0.0);
        }
    }
    most = lanes_max<lanes>(most);
    absolute = lanes_sum<lanes>(absolute);
    positive = lanes_sum<lanes>(positive);
    const bool counts = i < a.n_rows && at.lane == 0;
    if (counts) largest[i] = most;
    const int coupled = __syncthreads_count(counts && absolute > 0);
    const int with_positive = __syncthreads_count(counts && absolute > 0 && positive > 0.1 * absolute);
    if (threadIdx.x == 0) {
        if (coupled > 0) atomicAdd(&facts->n_coupled, static_cast<unsigned>(coupled));
        if (with_positive > 0) atomicAdd(&facts->n_positive, static_cast<unsigned>(with_positive));
    }
    raise(&facts->gershgorin, counts ? 1 + absolute * inverse_root[i] * inverse_root[i] : 0.0);
}

template <int lanes>
__global__ void strong_kernel(View a, double theta, const double* inverse_root, const double* largest, Index* columns) {
    const RowLanes<lanes> at;
    const Size i = at.row;
    if (i >= a.n_rows) return;
    for (Size k = a.row_ptr[i] + at.lane; k < a.row_ptr[i + 1]; k += lanes) {
        const Index j = a.col_idx[k];
        const double value = a.values[k];
        const double limit = theta * max(largest[i], largest[j]);
        const bool is_strong = i != j && value != 0 && abs(value) * (inverse_root[i] * inverse_root[j]) >= limit;
        columns[k] = is_strong ? j : ~j;
    }
}

}  // namespace

DeviceMatrix look_at_diagonal(Cuda& backend, const DeviceCsr<double>& a) {
    DeviceMatrix found{.diagonal = DeviceVector<double>(backend, a.n_rows),
                       .inverse_root = DeviceVector<double>(backend, a.n_rows),
                       .largest = {},
                       .facts = DeviceVector<LevelFacts>(backend, 1)};
    store(backend, LevelFacts{}, found.facts);
    diagonal_kernel<<<RowLanes<1>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
        View(a), found.diagonal.data(), found.inverse_root.data(), found.facts.data());
    check_cuda(cudaGetLastError(), "looking at a diagonal");
    return found;
}

void look_at_rows(Cuda& backend, const DeviceCsr<double>& a, DeviceMatrix& found) {
    const View view(a);
    found.largest = DeviceVector<double>(backend, a.n_rows);
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        rows_kernel<lanes()><<<RowLanes<lanes()>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
            view, found.inverse_root.data(), found.largest.data(), found.facts.data());
    });
    check_cuda(cudaGetLastError(), "looking at the rows of a matrix");
}

DeviceStrength find_strong(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& of, double theta) {
    const View view(a);
    DeviceStrength found{DeviceVector<Index>(backend, a.nnz())};
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        strong_kernel<lanes()><<<RowLanes<lanes()>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
            view, theta, of.inverse_root.data(), of.largest.data(), found.columns.data());
    });
    check_cuda(cudaGetLastError(), "looking for strong couplings");
    return found;
}

}  // namespace stiefel::amg
