#pragma once

#include "stiefel/spmv/compressed_sell.hpp"

#include <cstdint>
#include <type_traits>

namespace stiefel::compressed {

constexpr Index height = CompressedSell<double>::slice_height;

// Where the columns of a group of entries are found in x. Taken by every kernel, whatever it is compiled for.

template <class T>
struct DiagonalColumns {
    const T* x;  ///< of the slice's first row

    static constexpr Size step = 0;  ///< places in the distances from group to group
    /// Where that of one lane lies, if a column takes ld places.
    [[gnu::always_inline]] const T* at(Index base, const std::uint16_t*, Index lane, Size ld) const {
        return x + (base + lane) * ld;
    }
};
template <class T, class Distance>
struct ListedColumns {
    const T* x;

    static constexpr Size step = height * sizeof(Distance) / sizeof(std::uint16_t);
    [[gnu::always_inline]] const T* at(Index base, const std::uint16_t* distances, Index lane, Size ld) const {
        return x + (base + static_cast<Size>(reinterpret_cast<const Distance*>(distances)[lane])) * ld;
    }
};

/// f(columns, padded) with those of a slice. x: of its first row for diagonals, else of column 0.
template <class T, class F>
[[gnu::always_inline]] inline void with_columns(SliceColumns columns, bool is_padded, const T* x, F&& f) {
    const auto with = [&](const auto& those) __attribute__((always_inline)) {
        if (is_padded) return f(those, std::true_type());
        f(those, std::false_type());
    };
    switch (columns) {
        case SliceColumns::diagonals:
            return with(DiagonalColumns<T>{x});
        case SliceColumns::near:
            return with(ListedColumns<T, std::uint16_t>{x});
        case SliceColumns::far:
            return with(ListedColumns<T, std::uint32_t>{x});
    }
}

}  // namespace stiefel::compressed
