#pragma once

#include "stiefel/core/cuda/reduce.cuh"

#include <type_traits>
#include <utility>

namespace stiefel::amg {

/// A column of a block, or of a row of blocks.
template <int height>
struct Column {
    double v[height];

    __device__ Column& operator+=(const Column& other) {
        for (int r = 0; r < height; ++r) v[r] += other.v[r];
        return *this;
    }
    friend __device__ Column operator+(Column a, const Column& b) { return a += b; }
};

/// sum += block times the column, of as many numbers as the block has columns.
template <int height, int width>
__device__ void add_product(const Column<height>* block, const Column<width>& column, Column<height>& sum) {
    for (int q = 0; q < width; ++q) {
        for (int r = 0; r < height; ++r) sum.v[r] += block[q].v[r] * column.v[q];
    }
}

/// What another lane of the warp brings.
template <int height>
__device__ Column<height> of_lane(Column<height> column, int lane) {
    for (double& value : column.v) value = __shfl_sync(all_lanes, value, lane);
    return column;
}

/// f(height as constant): 2, 3 or 6.
template <class F>
decltype(auto) with_height(Index height, F&& f) {
    if (height == 2) return f(std::integral_constant<int, 2>());
    if (height == 3) return f(std::integral_constant<int, 3>());
    return f(std::integral_constant<int, 6>());
}

/// f(height, inner as constants) for those of products: blocks of a level with each other, and of its prolongation's
/// transpose with them: 2 x 2, 3 x 3, 6 x 6, and 3 x 2 and 6 x 3 where there are more modes than unknowns.
template <class F>
decltype(auto) with_height_and_inner(Index height, Index inner, F&& f) {
    if (height == inner) return with_height(height, [&](auto h) -> decltype(auto) { return f(h, h); });
    if (inner == 2) return f(std::integral_constant<int, 3>(), std::integral_constant<int, 2>());
    return f(std::integral_constant<int, 6>(), std::integral_constant<int, 3>());
}

}  // namespace stiefel::amg
