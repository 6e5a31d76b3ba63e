#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel {

// The rows of a format, as kernels that hold a whole system read them: `slots` in the order of memory, each with a row
// or with n_rows, whose entries lie `step` apart.

template <class T, class Offset>
struct CsrSlots {
    Index n_rows;
    const Offset* row_ptr;
    const Index* col_idx;
    const T* values;
    static constexpr Size step = 1;
    static constexpr Index alignment = 1;

    __device__ Index row(Index slot) const { return slot; }
    __device__ Size first(Index slot) const { return row_ptr[slot]; }
    __device__ Index length(Index slot) const { return static_cast<Index>(row_ptr[slot + 1] - row_ptr[slot]); }
    /// Where the entries of this slot and all later ones may be put.
    __device__ Size base(Index slot) const { return row_ptr[slot]; }
};

template <class T>
struct SellSlots {
    Index n_rows;
    const Size* slice_ptr;
    const Index* row_length;
    const Index* row_of_slot;
    const Index* col_idx;
    const T* values;
    static constexpr Size step = warp_size;
    static constexpr Index alignment = warp_size;

    __device__ Index row(Index slot) const { return row_of_slot != nullptr ? row_of_slot[slot] : min(slot, n_rows); }
    __device__ Size first(Index slot) const { return slice_ptr[slot / warp_size] + slot % warp_size; }
    __device__ Index length(Index slot) const { return row_length[slot]; }
    __device__ Size base(Index slot) const { return slice_ptr[slot / warp_size]; }
};

template <class T>
struct EllpackSlots {
    Index n_rows;
    Index width;
    Size row_step;
    Size step;
    const Index* row_length;
    const Index* col_idx;
    const T* values;
    static constexpr Index alignment = 1;

    __device__ Index row(Index slot) const { return slot; }
    __device__ Size first(Index slot) const { return slot * row_step; }
    __device__ Index length(Index slot) const { return row_length[slot]; }
    __device__ Size base(Index slot) const { return Size{slot} * width; }
};

/// f(rows, slots, entries stored) for a matrix whose entries have their columns beside them; not called for others, nor
/// for slices of a height that is not a warp's.
template <class T, class F>
void visit_slots(const DeviceCsr<T>& a, F&& f) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        f(CsrSlots<T, Offset>{a.n_rows, row_ptr, a.col_idx.data(), a.values.data()}, a.n_rows, a.nnz());
    });
}
template <class T, class F>
void visit_slots(const DeviceSell<T>& a, F&& f) {
    if (a.slice_height != warp_size) return;
    f(SellSlots<T>{a.n_rows, a.slice_ptr.data(), a.row_length.data(), a.row_of_slot.data(), a.col_idx.data(),
                   a.values.data()},
      static_cast<Index>(a.n_slots()), a.values.size());
}
template <class T, class F>
void visit_slots(const DeviceCompressedSell<T>&, F&&) {}
template <class T, class F>
void visit_slots(const DeviceEllpack<T>& a, F&& f) {
    const bool by_rows = a.layout == EllpackLayout::row_major;
    f(EllpackSlots<T>{a.n_rows, a.width, by_rows ? a.stride : 1, by_rows ? 1 : a.stride, a.row_length.data(),
                      a.col_idx.data(), a.values.data()},
      a.n_rows, Size{a.n_rows} * a.width);
}

}  // namespace stiefel
