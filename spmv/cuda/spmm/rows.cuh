#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/cuda/spmm/kernels.hpp"

#include <algorithm>
#include <type_traits>

namespace stiefel::cuda {

/// Threads of a block of the SpMM kernels.
inline constexpr int spmm_threads = 256;

/// Blocks for `work` items, so many to a block; kernels stride over what exceeds the grid.
inline int spmm_grid(Size work, int per_block) {
    return static_cast<int>(std::clamp<Size>((work + per_block - 1) / per_block, 1, Size{1} << 30));
}

/// Elements of Y in the order of threads. A row has as many threads as the next power of two from k: those beyond k are
/// idle, but none has to divide to find its place, which would cost more than its products.
struct Elements {
    Size n_rows;
    Index k;
    int log_threads;

    Elements(Size rows, Index columns) : n_rows(rows), k(columns), log_threads(0) {
        while ((1 << log_threads) < k) ++log_threads;
    }
    __host__ __device__ Size size() const { return n_rows << log_threads; }
    __device__ Size row(Size element) const { return element >> log_threads; }
    __device__ Index column(Size element) const { return static_cast<Index>(element) & ((1 << log_threads) - 1); }
};

// One view of all formats, as spmv/openmp/spmm/rows.hpp is on a host: the row at `place` has its entries at positions
// first, first + step, first + 2 step ... of col_idx and values, and row target(place) of Y is theirs. Apart from CSR
// the two differ in what they skip, and steps are of 32 bits here, which saves a kernel registers.

/// Where entries of neighbouring rows lie.
struct EntrySpan {
    Size first;
    Size last;
};

/// Where the entries of a row lie. The step is a constant where the format makes it one.
template <class Step>
struct DeviceEntries {
    Size first;
    Index count;
    Step step;
};

using StepOne = std::integral_constant<int, 1>;

template <class T, class Offset>
struct DeviceCsrRows {
    using value_type = T;

    const Offset* row_ptr;
    const Index* col_idx;
    const T* values;
    Index n_rows;

    __host__ __device__ Size size() const { return n_rows; }
    __device__ Index target(Size place) const { return static_cast<Index>(place); }
    __device__ DeviceEntries<StepOne> entries(Size place) const {
        const Offset first = row_ptr[place];
        return {first, static_cast<Index>(row_ptr[place + 1] - first), {}};
    }
    static constexpr bool has_panels = true;  ///< the tuned kernels take this format
    static constexpr bool is_csr = true;
    static constexpr bool is_contiguous = true;  ///< span() has the entries of neighbouring rows
    __device__ EntrySpan span(Size begin, Size end) const { return {row_ptr[begin], row_ptr[end]}; }
};

/// No work is done on padding (ELLPACK-R).
template <class T>
struct DeviceEllpackRows {
    using value_type = T;

    const Index* row_length;
    const Index* col_idx;
    const T* values;
    Index n_rows;
    Size row_step;
    Size entry_step;

    __host__ __device__ Size size() const { return n_rows; }
    __device__ Index target(Size place) const { return static_cast<Index>(place); }
    __device__ DeviceEntries<Size> entries(Size place) const {
        return {place * row_step, row_length[place], entry_step};
    }
    static constexpr bool has_panels = true;
    static constexpr bool is_csr = false;
    static constexpr bool is_contiguous = false;
    __device__ EntrySpan span(Size, Size) const { return {0, 0}; }
};

/// Rows are slots; the target of an empty one is n_rows. All rows of a slice are multiplied to the slice's width,
/// padding included: so all threads of a warp do the same, and no row lengths are read. The height of the slices is a
/// constant where it is that of a warp.
template <class T, class Height = std::integral_constant<int, warp_size>>
struct DeviceSellRows {
    using value_type = T;

    const Size* slice_ptr;
    const Index* row_of_slot;  ///< or null
    const Index* col_idx;
    const T* values;
    Index n_rows;
    Size n_slots;
    Height height;

    __host__ __device__ Size size() const { return n_slots; }
    __device__ Index target(Size place) const {
        return row_of_slot != nullptr ? row_of_slot[place] : static_cast<Index>(min(place, Size{n_rows}));
    }
    __device__ DeviceEntries<Height> entries(Size place) const {
        const auto slot = static_cast<unsigned>(place);
        const auto slice_height = static_cast<unsigned>(height);
        const Size first = slice_ptr[slot / slice_height];
        const auto size = static_cast<unsigned>(slice_ptr[slot / slice_height + 1] - first);
        return {first + slot % slice_height, static_cast<Index>(size / slice_height), height};
    }
    static constexpr bool has_panels = !std::is_same_v<Height, Index>;
    static constexpr bool is_csr = false;
    static constexpr bool is_contiguous = true;
    /// Of whole slices; the slice that rows begin in where they are less than one.
    __device__ EntrySpan span(Size begin, Size end) const {
        const Size slice = begin / height;
        const Size first = slice_ptr[slice];
        if (begin % height != 0) return {first, first};
        return {first, slice_ptr[max(end / height, slice + 1)]};
    }
};

/// f(rows) with the rows of a matrix in their own type.
template <class T, class F>
void with_rows(const DeviceCsr<T>& a, F&& f) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        f(DeviceCsrRows<T, Offset>{row_ptr, a.col_idx.data(), a.values.data(), a.n_rows});
    });
}
template <class T, class F>
void with_rows(const DeviceEllpack<T>& a, F&& f) {
    const bool by_rows = a.layout == EllpackLayout::row_major;
    f(DeviceEllpackRows<T>{a.row_length.data(), a.col_idx.data(), a.values.data(), a.n_rows, by_rows ? a.stride : 1,
                           by_rows ? 1 : a.stride});
}
template <class T, class F>
void with_rows(const DeviceSell<T>& a, F&& f) {
    const auto with_height = [&]<class Height>(Height height) {
        f(DeviceSellRows<T, Height>{a.slice_ptr.data(), a.row_of_slot.data(), a.col_idx.data(), a.values.data(),
                                    a.n_rows, a.n_slots(), height});
    };
    if (a.slice_height == warp_size) {
        with_height(std::integral_constant<int, warp_size>());
    } else {
        with_height(a.slice_height);
    }
}

/// y = alpha sum + beta y for one element; beta = 0 does not read y.
template <class T>
__device__ void update_element(T* y, T sum, T alpha, T beta) {
    *y = beta == T{0} ? alpha * sum : alpha * sum + beta * *y;
}

}  // namespace stiefel::cuda
