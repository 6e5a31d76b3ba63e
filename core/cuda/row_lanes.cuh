#pragma once

#include "stiefel/core/cuda/lanes_max.cuh"
#include "stiefel/core/cuda/reduce.cuh"

#include <algorithm>
#include <type_traits>

namespace stiefel {

inline constexpr int row_threads = 256;

/// Lanes of a warp that go through a row together: of a grid of row_threads a block.
template <int lanes>
struct RowLanes {
    Size row = (Size{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
    int lane = static_cast<int>(threadIdx.x) % lanes;

    static unsigned blocks(Size n_rows) {
        return static_cast<unsigned>(std::max<Size>((n_rows * lanes + row_threads - 1) / row_threads, 1));
    }
};

/// f(row, lane) in turns, by a grid of any number of blocks. All lanes of a warp are called as often, so rows may be
/// n_rows and more.
template <int lanes, class F>
__device__ void for_each_row(Index n_rows, F&& f) {
    const Size rows_of_grid = Size{gridDim.x} * blockDim.x / lanes;
    const RowLanes<lanes> at;
    for (Size row = at.row; row - at.row % (warp_size / lanes) < n_rows; row += rows_of_grid) f(row, at.lane);
}

/// f(std::integral_constant<int, lanes>), as suits rows of so many entries on average.
template <class F>
void with_row_lanes(double mean_row, F&& f) {
    if (mean_row <= 10) return f(std::integral_constant<int, 2>());
    if (mean_row <= 40) return f(std::integral_constant<int, 8>());
    f(std::integral_constant<int, 32>());
}

/// *most = max(*most, bits), by whole warps.
__device__ inline void raise_bits(unsigned long long* most, unsigned long long bits) {
    bits = lanes_max(bits);
    if (threadIdx.x % warp_size == 0 && bits > *static_cast<volatile unsigned long long*>(most)) atomicMax(most, bits);
}

/// *most = max(*most, value) for a value that is not negative: its bits ascend as it does. NaN counts as the most.
__device__ inline void raise(unsigned long long* most, double value) {
    raise_bits(most, static_cast<unsigned long long>(__double_as_longlong(value)));
}

}  // namespace stiefel
