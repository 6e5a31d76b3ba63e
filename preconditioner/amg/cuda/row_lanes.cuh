#pragma once

#include "stiefel/core/cuda/lanes_max.cuh"
#include "stiefel/core/cuda/reduce.cuh"

#include <algorithm>
#include <type_traits>

namespace stiefel::amg {

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

/// f(std::integral_constant<int, lanes>), as suits rows of so many entries on average.
template <class F>
void with_row_lanes(double mean_row, F&& f) {
    if (mean_row <= 10) return f(std::integral_constant<int, 2>());
    if (mean_row <= 40) return f(std::integral_constant<int, 8>());
    f(std::integral_constant<int, 32>());
}

/// *most = max(*most, value) for a value that is not negative: its bits ascend as it does. NaN counts as the most.
__device__ inline void raise(unsigned long long* most, double value) {
    unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(value));
    for (int step = warp_size / 2; step > 0; step /= 2) bits = max(bits, __shfl_xor_sync(all_lanes, bits, step));
    if (threadIdx.x % warp_size == 0 && bits > *static_cast<volatile unsigned long long*>(most)) atomicMax(most, bits);
}

}  // namespace stiefel::amg
