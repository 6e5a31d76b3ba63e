#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/cuda/spmm/kernels.hpp"

#include <algorithm>

namespace stiefel::cuda {

/// Threads of a block of the SpMM kernels.
inline constexpr int spmm_threads = 256;

/// Blocks for `work` items, so many to a block; kernels stride over what exceeds the grid.
inline int spmm_grid(Size work, int per_block) {
    return static_cast<int>(std::clamp<Size>((work + per_block - 1) / per_block, 1, Size{1} << 30));
}

// One view of all formats, so that a rung is written once: the row at `place` has its entries at positions first,
// first + step, first + 2 step ... of col_idx and values, and row target(place) of Y is theirs.

struct Entries {
    Size first;
    Index count;
    Size step;
};

template <class T, class Offset>
struct CsrRows {
    using value_type = T;

    const Offset* row_ptr;
    const Index* col_idx;
    const T* values;
    Index n_rows;

    __host__ __device__ Size size() const { return n_rows; }
    __device__ Index target(Size place) const { return static_cast<Index>(place); }
    __device__ Entries entries(Size place) const {
        const Offset first = row_ptr[place];
        return {first, static_cast<Index>(row_ptr[place + 1] - first), 1};
    }
};

/// No work is done on padding (ELLPACK-R).
template <class T>
struct EllpackRows {
    using value_type = T;

    const Index* row_length;
    const Index* col_idx;
    const T* values;
    Index n_rows;
    Size row_step;
    Size entry_step;

    __host__ __device__ Size size() const { return n_rows; }
    __device__ Index target(Size place) const { return static_cast<Index>(place); }
    __device__ Entries entries(Size place) const { return {place * row_step, row_length[place], entry_step}; }
};

/// Rows are slots; the target of an empty one is n_rows.
template <class T>
struct SellRows {
    using value_type = T;

    const Size* slice_ptr;
    const Index* row_length;
    const Index* row_of_slot;  ///< or null
    const Index* col_idx;
    const T* values;
    Index n_rows;
    Size n_slots;
    unsigned slice_height;

    __host__ __device__ Size size() const { return n_slots; }
    __device__ Index target(Size place) const {
        return row_of_slot != nullptr ? row_of_slot[place] : static_cast<Index>(min(place, Size{n_rows}));
    }
    __device__ Entries entries(Size place) const {
        const auto slot = static_cast<unsigned>(place);
        return {slice_ptr[slot / slice_height] + slot % slice_height, row_length[place], slice_height};
    }
};

/// f(rows) with the rows of a matrix in their own type.
template <class T, class F>
void with_rows(const DeviceCsr<T>& a, F&& f) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        f(CsrRows<T, Offset>{row_ptr, a.col_idx.data(), a.values.data(), a.n_rows});
    });
}
template <class T, class F>
void with_rows(const DeviceEllpack<T>& a, F&& f) {
    const bool by_rows = a.layout == EllpackLayout::row_major;
    f(EllpackRows<T>{a.row_length.data(), a.col_idx.data(), a.values.data(), a.n_rows, by_rows ? a.stride : 1,
                     by_rows ? 1 : a.stride});
}
template <class T, class F>
void with_rows(const DeviceSell<T>& a, F&& f) {
    f(SellRows<T>{a.slice_ptr.data(), a.row_length.data(), a.row_of_slot.data(), a.col_idx.data(), a.values.data(),
                  a.n_rows, a.n_slots(), static_cast<unsigned>(a.slice_height)});
}

/// y = alpha sum + beta y for one element; beta = 0 does not read y.
template <class T>
__device__ void update_element(T* y, T sum, T alpha, T beta) {
    *y = beta == T{0} ? alpha * sum : alpha * sum + beta * *y;
}

}  // namespace stiefel::cuda
