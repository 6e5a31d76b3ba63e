#pragma once

#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/amg/cuda/row_spread.cuh"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/amg/cuda/slice_diagonals.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

// From the rows of a matrix to those of a format, scaled and rounded on the way.

namespace stiefel::amg {

namespace {

struct Scales {
    const double* left;
    const double* right;
    bool invert_left;
    bool invert_right;

    explicit Scales(const ScaledMatrix& m)
        : left(numbers_of(m.left)),
          right(numbers_of(m.right)),
          invert_left(m.left.inverted),
          invert_right(m.right.inverted) {}
    __device__ double of_row(Size i) const { return number(left, i, invert_left); }
    __device__ double of_column(Index j) const { return number(right, j, invert_right); }

private:
    static const double* numbers_of(const DiagonalScale& scale) {
        return scale.numbers != nullptr ? scale.numbers->data() : nullptr;
    }
    __device__ static double number(const double* numbers, Size i, bool inverted) {
        if (numbers == nullptr) return 1;
        return inverted ? 1 / numbers[i] : numbers[i];
    }
};

/// A warp a slice: see slice_diagonals.hpp.
template <class S>
__global__ void __launch_bounds__(window)
    fill_aligned_kernel(View a, Scales scales, const Size* slice_ptr, const Index* aligned_width, Index* row_length,
                        Index* cols, S* values, Index* diagonals) {
    const Size row = Size{blockIdx.x} * window + threadIdx.x;
    const Size slice = row / height;
    if (slice * height >= a.n_rows) return;
    const bool is_row = row < a.n_rows;
    const Size begin = slice_ptr[slice], group = begin / height;
    const auto width = static_cast<Index>((slice_ptr[slice + 1] - begin) / height);
    const double left = is_row ? scales.of_row(row) : 0;
    Size to = begin + row % height;
    if (aligned_width[slice] > 0) {
        Index place = 0;
        for_diagonals(a, row, width, [&](Index diagonal, Size k) {
            S value = 0;
            auto col = static_cast<Index>(row);
            if (k >= 0) {
                col = a.col_idx[k];
                value = static_cast<S>(left * a.values[k] * scales.of_column(col));
                if (value == S{0}) value = -S{0};
            }
            cols[to] = col;
            values[to] = value;
            if (row % height == 0) diagonals[group + place] = diagonal;
            ++place;
            to += height;
        });
        row_length[row] = width;
        return;
    }
    if (row % height == 0 && width > 0) diagonals[group] = no_diagonal;
    const Size first = is_row ? a.row_ptr[row] : 0;
    const auto length = is_row ? static_cast<Index>(a.row_ptr[row + 1] - first) : 0;
    Index col = 0;
    for (Index e = 0; e < width; ++e, to += height) {
        if (e < length) col = a.col_idx[first + e];
        cols[to] = col;
        values[to] = e < length ? static_cast<S>(left * a.values[first + e] * scales.of_column(col)) : S{0};
    }
    row_length[row] = length;
}

template <class S>
__global__ void fill_sell_kernel(View a, Scales scales, Size n_slots, const Size* slice_ptr, const Index* row_of_slot,
                                 Index* row_length, Index* cols, S* values) {
    const Size slot = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (slot >= n_slots) return;
    const Size begin = slice_ptr[slot / height];
    const auto width = static_cast<Index>((slice_ptr[slot / height + 1] - begin) / height);
    const Size row = row_of_slot != nullptr ? row_of_slot[slot] : min(slot, Size{a.n_rows});
    const bool is_row = row < a.n_rows;
    const Size first = is_row ? a.row_ptr[row] : 0;
    const auto length = is_row ? static_cast<Index>(a.row_ptr[row + 1] - first) : 0;
    const double left = is_row ? scales.of_row(row) : 0;
    row_length[slot] = length;
    constexpr int together =
        4;  // entries of a thread lie behind one another: it uses what it fetched before it is gone
    Index col = 0;
    Size to = begin + slot % height;
    for (Index e = 0; e < length; e += together) {
        Index col_of[together];
        double value_of[together];
        for (int c = 0; c < together; ++c) {
            const Size k = first + min(e + c, length - 1);
            col_of[c] = a.col_idx[k];
            value_of[c] = a.values[k];
        }
        for (int c = 0; c < together && e + c < length; ++c, to += height) {
            cols[to] = col = col_of[c];
            values[to] = static_cast<S>(left * value_of[c] * scales.of_column(col));
        }
    }
    for (Index e = length; e < width; ++e, to += height) {
        cols[to] = col;
        values[to] = 0;
    }
}

template <int lanes, class S>
__global__ void fill_csr_kernel(View a, Scales scales, Index* cols, S* values) {
    const RowLanes<lanes> at;
    if (at.row >= a.n_rows) return;
    const double left = scales.of_row(at.row);
    for (Size k = a.row_ptr[at.row] + at.lane; k < a.row_ptr[at.row + 1]; k += lanes) {
        const Index j = a.col_idx[k];
        cols[k] = j;
        values[k] = static_cast<S>(left * a.values[k] * scales.of_column(j));
    }
}

}  // namespace

}  // namespace stiefel::amg
