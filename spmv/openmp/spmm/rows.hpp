#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/ellpack.hpp"
#include "stiefel/spmv/sell.hpp"

#include <type_traits>

namespace stiefel {

// One view of all formats, so that a rung of SpMM is written once: the row at `place` has its entries at positions
// first, first + step, first + 2 step ... of col_idx and values, and row target(place) of Y is theirs. Members are
// always inlined: files that are compiled for different instruction sets use them, and none may get another's.

/// Where the entries of a row lie. The step is a constant where the format makes it one.
template <class Step>
struct Entries {
    Size first;
    Index count;
    Step step;
};

using StepOne = std::integral_constant<Size, 1>;

template <class T, class Offset>
struct CsrRows {
    using value_type = T;

    const Offset* row_ptr;
    const Index* col_idx;
    const T* values;
    Index n_rows;

    [[gnu::always_inline]] Size size() const { return n_rows; }
    [[gnu::always_inline]] Index target(Size place) const { return static_cast<Index>(place); }
    [[gnu::always_inline]] Entries<StepOne> entries(Size place) const {
        return {row_ptr[place], static_cast<Index>(row_ptr[place + 1] - row_ptr[place]), {}};
    }
};

/// ELLPACK: all `width` entries of a row or, given row lengths (ELLPACK-R), none of the padding.
template <class T, EllpackLayout layout>
struct EllpackRows {
    using value_type = T;
    static constexpr bool by_rows = layout == EllpackLayout::row_major;

    const Index* row_length;  ///< null: padding included
    const Index* col_idx;
    const T* values;
    Index n_rows;
    Index width;
    Size stride;

    [[gnu::always_inline]] Size size() const { return n_rows; }
    [[gnu::always_inline]] Index target(Size place) const { return static_cast<Index>(place); }
    [[gnu::always_inline]] auto entries(Size place) const {
        const Index count = row_length != nullptr ? row_length[place] : width;
        if constexpr (by_rows) {
            return Entries<StepOne>{place * stride, count, {}};
        } else {
            return Entries<Size>{place, count, stride};
        }
    }
};

/// SELL by slots, no work on padding; the target of an empty slot is n_rows.
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
    Index slice_height;

    [[gnu::always_inline]] Size size() const { return n_slots; }
    [[gnu::always_inline]] Index target(Size place) const {
        if (row_of_slot != nullptr) return row_of_slot[place];
        return place < n_rows ? static_cast<Index>(place) : n_rows;
    }
    [[gnu::always_inline]] Entries<Size> entries(Size place) const {
        const auto slot = static_cast<unsigned>(place);  // fewer than 2^32: a slice is added to the rows at most
        const auto height = static_cast<unsigned>(slice_height);
        return {slice_ptr[slot / height] + slot % height, row_length[place], slice_height};
    }
};

/// f(rows) with the rows of a CSR matrix in their own type.
template <class T, class F>
void with_rows(const HostCsr<T>& a, F&& f) {
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        f(CsrRows<T, Offset>{row_ptr, a.col_idx.data(), a.values.data(), a.n_rows});
    });
}

/// The same for ELLPACK-R; with_padded_rows() includes the padding.
template <class T, class F>
void with_rows(const HostEllpack<T>& a, F&& f, const Index* row_length) {
    const auto in_layout = [&]<EllpackLayout layout>(std::integral_constant<EllpackLayout, layout>) {
        f(EllpackRows<T, layout>{row_length, a.col_idx.data(), a.values.data(), a.n_rows, a.width, a.stride});
    };
    if (a.layout == EllpackLayout::row_major) {
        in_layout(std::integral_constant<EllpackLayout, EllpackLayout::row_major>());
    } else {
        in_layout(std::integral_constant<EllpackLayout, EllpackLayout::column_major>());
    }
}
template <class T, class F>
void with_rows(const HostEllpack<T>& a, F&& f) {
    with_rows(a, f, a.row_length.data());
}
template <class T, class F>
void with_padded_rows(const HostEllpack<T>& a, F&& f) {
    with_rows(a, f, nullptr);
}

template <class T, class F>
void with_rows(const HostSell<T>& a, F&& f) {
    f(SellRows<T>{a.slice_ptr.data(), a.row_length.data(), a.row_of_slot.data(), a.col_idx.data(), a.values.data(),
                  a.n_rows, a.n_slots(), a.slice_height});
}

}  // namespace stiefel
