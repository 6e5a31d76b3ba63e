#pragma once

#include "stiefel/preconditioner/amg/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <utility>

// A matrix without some entries of another. A rule says weight(i, j, value): 0 for those that go; and value(value),
// what stays of the others. Of rows with more than Options::longest_row of them the largest weights stay, of equals
// those in the first columns, and always the diagonal.

namespace stiefel::fsai {

namespace {

using View = cuda::CsrView<double>;
using amg::row_threads;
using amg::RowLanes;

/// What limits a row: weights above the cut stay, and so many that are equal to it. Empty where no row is limited.
struct RowLimits {
    unsigned long long* cut = nullptr;  ///< as bits, which ascend as numbers do that are not negative; 0 where all stay
    Index* ties = nullptr;
};

__device__ inline unsigned long long bits_of(double weight) {
    return static_cast<unsigned long long>(__double_as_longlong(weight));
}

template <int lanes, class Rule>
__global__ void count_kernel(View from, Rule rule, Index* count, RowLimits limits) {
    const RowLanes<lanes> at;
    Index kept = 0;
    if (at.row < from.n_rows) {
        for (Size e = from.row_ptr[at.row] + at.lane; e < from.row_ptr[at.row + 1]; e += lanes) {
            kept += rule.weight(at.row, from.col_idx[e], from.values[e]) > 0 ? 1 : 0;
        }
    }
    kept = lanes_sum<lanes>(kept);
    if (at.row < from.n_rows && at.lane == 0) {
        count[at.row] = kept;
        limits.cut[at.row] = 0;
    }
}

/// A warp a row; those that are not too long are done at once. The cut is found bit by bit.
template <class Rule>
__global__ void limit_kernel(View from, Rule rule, Index* count, RowLimits limits) {
    const RowLanes<warp_size> at;
    if (at.row >= from.n_rows || count[at.row] <= Options::longest_row) return;
    constexpr Index others = Options::longest_row - 1;
    const Size begin = from.row_ptr[at.row], end = from.row_ptr[at.row + 1];
    const auto at_least = [&](unsigned long long bits) {
        Index n = 0;
        for (Size e = begin + at.lane; e < end; e += warp_size) {
            const Index col = from.col_idx[e];
            n += col != at.row && bits_of(rule.weight(at.row, col, from.values[e])) >= bits ? 1 : 0;
        }
        return lanes_sum(n);
    };
    unsigned long long cut = 0;
    for (int bit = 62; bit >= 0; --bit) {
        const unsigned long long higher = cut | 1ull << bit;
        if (at_least(higher) >= others) cut = higher;
    }
    const Index above = at_least(cut + 1);
    if (at.lane > 0) return;
    count[at.row] = Options::longest_row;
    limits.cut[at.row] = cut;
    limits.ties[at.row] = others - above;
}

template <int lanes, class Rule>
__global__ void fill_kernel(View from, Rule rule, RowLimits limits, cuda::OffsetsView to_ptr, Index* cols,
                            double* values) {
    const RowLanes<lanes> at;
    if (at.row >= from.n_rows) return;
    const int first_lane = static_cast<int>(threadIdx.x) % warp_size - at.lane;
    const unsigned group = (lanes == warp_size ? all_lanes : (1u << lanes % warp_size) - 1) << first_lane;
    const unsigned before = group & ((1u << (first_lane + at.lane)) - 1);
    const unsigned long long cut = limits.cut != nullptr ? limits.cut[at.row] : 0;
    Index ties = cut > 0 ? limits.ties[at.row] : 0;
    Size to = to_ptr[at.row];
    const Size end = from.row_ptr[at.row + 1];
    for (Size base = from.row_ptr[at.row]; base < end; base += lanes) {
        const Size e = base + at.lane;
        const Index col = e < end ? from.col_idx[e] : 0;
        const double value = e < end ? from.values[e] : 0;
        const double weight = e < end ? rule.weight(at.row, col, value) : 0;
        const bool counts = weight > 0;
        const bool is_tie = counts && cut > 0 && col != at.row && bits_of(weight) == cut;
        const unsigned all_ties = __ballot_sync(group, is_tie);
        const bool stays = counts && (cut == 0 || col == at.row || bits_of(weight) > cut ||
                                      (is_tie && __popc(all_ties & before) < ties));
        const unsigned all_kept = __ballot_sync(group, stays);
        if (stays) {
            const Size place = to + __popc(all_kept & before);
            cols[place] = col;
            values[place] = rule.value(value);
        }
        to += __popc(all_kept);
        ties -= __popc(all_ties);
    }
}

/// With rows of these lengths, so many entries in all.
template <class Rule>
DeviceCsr<double> kept_entries(Cuda& backend, const View& from, const Rule& rule, const RowLimits& limits,
                               const cuda::Offsets<Index>& offsets, Size total) {
    DeviceCsr<double> kept;
    kept.n_rows = from.n_rows;
    kept.n_cols = from.n_cols;
    kept.row_ptr = offsets.row_offsets(backend, total);
    kept.col_idx = DeviceVector<Index>(backend, total);
    kept.values = DeviceVector<double>(backend, total);
    const cuda::OffsetsView to(kept.row_ptr);
    amg::with_row_lanes(from.mean_row(), [&](auto lanes) {
        fill_kernel<lanes()><<<RowLanes<lanes()>::blocks(from.n_rows), row_threads, 0, backend.stream()>>>(
            from, rule, limits, to, kept.col_idx.data(), kept.values.data());
    });
    check_cuda(cudaGetLastError(), "leaving entries out");
    return kept;
}

template <class Rule>
DeviceCsr<double> kept_entries(Cuda& backend, const View& from, const Rule& rule) {
    DeviceVector<Index> count(backend, from.n_rows), ties(backend, from.n_rows);
    DeviceVector<unsigned long long> cut(backend, from.n_rows);
    const RowLimits limits{cut.data(), ties.data()};
    amg::with_row_lanes(from.mean_row(), [&](auto lanes) {
        count_kernel<lanes()><<<RowLanes<lanes()>::blocks(from.n_rows), row_threads, 0, backend.stream()>>>(
            from, rule, count.data(), limits);
    });
    limit_kernel<<<RowLanes<warp_size>::blocks(from.n_rows), row_threads, 0, backend.stream()>>>(from, rule,
                                                                                                 count.data(), limits);
    const cuda::Offsets<Index> offsets(backend, count);
    Size total = 0;
    backend.download_bytes(&total, offsets.total(), sizeof total);
    return kept_entries(backend, from, rule, limits, offsets, total);
}

}  // namespace

}  // namespace stiefel::fsai
