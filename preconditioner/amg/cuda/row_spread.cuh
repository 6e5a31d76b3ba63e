#pragma once

#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/amg/cuda/slice_diagonals.cuh"
#include "stiefel/spmv/formats.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

// How long rows are, and whether they share diagonals: what decides on a format.

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

/// Rows are sorted by length within such windows, a block each.
constexpr int window = row_threads;
constexpr int height = sell_slice_height;
static_assert(height == warp_size);

/// What decides on a format.
struct RowSpread {
    unsigned long long squares = 0;       ///< of row lengths, added up
    unsigned long long plain_places = 0;  ///< of SELL without sorting
    unsigned long long sorted_places = 0;
    unsigned long long aligned_places = 0;  ///< without sorting, entries put on diagonals where rows share them
    unsigned long long aligned_slices = 0;  ///< in which they do
};

__global__ void __launch_bounds__(window)
    shape_kernel(View a, Size n_slots, Index* plain_width, Index* sorted_width, Index* row_of_slot, RowSpread* spread) {
    __shared__ Index length_of[window], sorted_length[window];
    const int own = static_cast<int>(threadIdx.x);
    const Size i = Size{blockIdx.x} * window + own;
    const bool is_row = i < a.n_rows;
    const Index length = is_row ? static_cast<Index>(a.row_ptr[i + 1] - a.row_ptr[i]) : -1;
    length_of[own] = length;
    __syncthreads();
    int place = own;
    if (__syncthreads_or(length != length_of[0]) != 0) {
        place = 0;
        for (int other = 0; other < window; ++other) {
            place += length_of[other] > length || (length_of[other] == length && other < own);
        }
    }
    sorted_length[place] = length;
    const Size slot = Size{blockIdx.x} * window + place;
    if (slot < n_slots) row_of_slot[slot] = is_row ? static_cast<Index>(i) : a.n_rows;
    __syncthreads();
    const auto count = static_cast<unsigned>(max(length, 0));
    const unsigned plain = __reduce_max_sync(all_lanes, count);
    const unsigned sorted = __reduce_max_sync(all_lanes, static_cast<unsigned>(max(sorted_length[own], 0)));
    auto squares = static_cast<unsigned long long>(count) * count;
    for (int step = warp_size / 2; step > 0; step /= 2) squares += __shfl_xor_sync(all_lanes, squares, step);
    const bool is_slice = i < a.n_rows && own % height == 0;
    if (is_slice) {
        plain_width[i / height] = static_cast<Index>(plain * height);
        sorted_width[i / height] = static_cast<Index>(sorted * height);
    }
    __shared__ unsigned long long of_block[3];
    if (own < 3) of_block[own] = 0;
    __syncthreads();
    if (is_slice) {
        atomicAdd(of_block, squares);
        atomicAdd(of_block + 1, static_cast<unsigned long long>(plain) * height);
        atomicAdd(of_block + 2, static_cast<unsigned long long>(sorted) * height);
    }
    __syncthreads();
    if (own == 0) {
        atomicAdd(&spread->squares, of_block[0]);
        atomicAdd(&spread->plain_places, of_block[1]);
        atomicAdd(&spread->sorted_places, of_block[2]);
    }
}

/// A warp a slice. What diagonals make wider by more than a quarter they do not make shorter to read.
__global__ void __launch_bounds__(window)
    diagonals_kernel(View a, const Index* plain_width, Index* aligned_width, RowSpread* spread) {
    const Size row = Size{blockIdx.x} * window + threadIdx.x;
    const Size first_row = row - row % height;
    if (first_row >= a.n_rows) return;
    const Index plain = plain_width[first_row / height], most = plain / height + plain / (4 * height);
    Index count = 0, first = 0, last = 0;
    bool shares = for_diagonals(a, row, most, [&](Index diagonal, Size) {
        first = count == 0 ? diagonal : min(first, diagonal);
        last = count == 0 ? diagonal : max(last, diagonal);
        ++count;
    });
    // Padding, too, must be in a column that there is.
    shares = shares && count > 0 && first_row + height <= a.n_rows && first_row + first >= 0 &&
             first_row + height - 1 + last < a.n_cols;
    if (row != first_row) return;
    aligned_width[row / height] = shares ? count * height : -plain;
    atomicAdd(&spread->aligned_places, static_cast<unsigned long long>(shares ? count * height : plain));
    if (shares) atomicAdd(&spread->aligned_slices, 1ULL);
}

__global__ void absolute_kernel(Size n, const Index* from, Index* to) {
    const Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) to[i] = abs(from[i]);
}

}  // namespace

}  // namespace stiefel::amg
