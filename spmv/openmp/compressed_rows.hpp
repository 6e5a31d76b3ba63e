#pragma once

#include "stiefel/core/register_bytes.hpp"
#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/openmp/row_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

// The products with the rows of a CompressedSell, for kernels that go on with them while they are in registers.

namespace stiefel {

namespace compressed {

constexpr Index height = CompressedSell<double>::slice_height;
constexpr Index cache_line = 64;

/// So many lanes are worked on in a register; a slice has a few of them.
template <class T>
constexpr Index lanes = std::min<Index>(8, register_bytes / static_cast<Index>(sizeof(T)));
template <class T, class Of = T>
using Lanes [[gnu::vector_size(lanes<Of> * sizeof(T))]] = T;

template <class T, class Stored>
[[gnu::always_inline]] inline Lanes<T> load(const Stored* from) {
    Lanes<Stored, T> value;
    std::memcpy(&value, from, sizeof value);
    return __builtin_convertvector(value, Lanes<T>);
}

/// x where the values are of entries, and nothing where they are padding.
template <class T>
[[gnu::always_inline]] inline Lanes<T> of_entries(Lanes<T> values, Lanes<T> x) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(std::int64_t), std::int64_t, std::int32_t>;
    return reinterpret_cast<Lanes<Bits>>(values) == 0 ? Lanes<T>{} : x;
}

/// x of the columns of a group, from `lane` on.
template <class T>
struct DiagonalColumns {
    const T* x;  // of the slice's first row

    static constexpr Size step = 0;
    [[gnu::always_inline]] Lanes<T> operator()(Index base, const std::uint16_t*, Index lane) const {
        return load<T>(x + base + lane);
    }
    /// Where that of one lane lies, if a column takes ld places.
    [[gnu::always_inline]] const T* at(Index base, const std::uint16_t*, Index lane, Size ld) const {
        return x + (base + lane) * ld;
    }
};
/// Element by element, which takes two thirds of the time of a gather (Sapphire Rapids).
template <class T, class Distance>
struct ListedColumns {
    const T* x;

    static constexpr Size step = height * sizeof(Distance) / sizeof(std::uint16_t);
    [[gnu::always_inline]] Lanes<T> operator()(Index base, const std::uint16_t* distances, Index lane) const {
        const T* const from = x + base;
        const Distance* const d = reinterpret_cast<const Distance*>(distances) + lane;
        return [&]<std::size_t... k>(std::index_sequence<k...>) __attribute__((always_inline)) {
            return Lanes<T>{from[d[k]]...};
        }
        (std::make_index_sequence<lanes<T>>());
    }
    [[gnu::always_inline]] const T* at(Index base, const std::uint16_t* distances, Index lane, Size ld) const {
        return x + (base + static_cast<Size>(reinterpret_cast<const Distance*>(distances)[lane])) * ld;
    }
};

/// f(columns, padded) with those of the slice.
template <class T, class F>
[[gnu::always_inline]] inline void with_columns(const CompressedSlice& at, const T* x, Index first_row, F&& f) {
    const auto with = [&](const auto& columns) __attribute__((always_inline)) {
        if (at.padded) return f(columns, std::true_type());
        f(columns, std::false_type());
    };
    switch (at.columns) {
        case SliceColumns::diagonals:
            return with(DiagonalColumns<T>{x + first_row});
        case SliceColumns::near:
            return with(ListedColumns<T, std::uint16_t>{x});
        case SliceColumns::far:
            return with(ListedColumns<T, std::uint32_t>{x});
    }
}

/// How far ahead values and distances are asked for, in groups.
constexpr Size ahead = 8;

/// (A x) of the 32 rows of a slice, those of empty slots too.
template <class Stored, class T>
[[gnu::always_inline]] inline void multiply_slice(const HostCompressedSell<Stored>& a, Index slice, const T* x,
                                                  T (&sum)[height]) {
    const auto& at = a.slices[slice];
    const Size end = at.end_group();
    Lanes<T> sums[height / lanes<T>] = {};
    with_columns(at, x, slice * height, [&]<bool padded>(const auto& of_columns, std::bool_constant<padded>) {
        const std::uint16_t* distances = a.distances.data() + at.distance;
        for (Size group = at.group; group < end; ++group, distances += of_columns.step) {
            const Stored* const values = a.values.data() + group * height;
            const Index base = a.base[group];
            for (Size line = 0; line < of_columns.step; line += 32) {
                __builtin_prefetch(distances + ahead * of_columns.step + line, 0, 3);
            }
            for (Index line = 0; line < height; line += cache_line / static_cast<Index>(sizeof(Stored))) {
                __builtin_prefetch(values + ahead * height + line, 0, 3);
            }
            for (Index r = 0; r < height / lanes<T>; ++r) {
                const Lanes<T> of_values = load<T>(values + r * lanes<T>);
                const Lanes<T> of_x = of_columns(base, distances, r * lanes<T>);
                sums[r] += of_values * (padded ? of_entries<T>(of_values, of_x) : of_x);
            }
        }
    });
    std::memcpy(sum, sums, sizeof sum);
}

/// f(slice) in parallel.
template <class Stored, class F>
void for_slices(OpenMP& backend, const HostCompressedSell<Stored>& a, const F& f) {
    for_blocks(backend, a.n_slices(), a.bytes_read() > parallel_threshold_bytes, nullptr, [&](Index slice) {
        f(slice);
        return 0.0;
    });
}

/// finish(i, (A x)_i) for the rows i of a slice, several at once where that can be.
template <class Stored, class T, class Finish>
[[gnu::always_inline]] inline void finish_slice(const HostCompressedSell<Stored>& a, Index slice, const T* x,
                                                const Finish& finish) {
    T sum[height];
    multiply_slice(a, slice, x, sum);
    const Index first_row = slice * height;
    if (a.row_of_slot.empty() && first_row <= a.n_rows - height) {
#pragma omp simd
        for (Index lane = 0; lane < height; ++lane) finish(first_row + lane, sum[lane]);
        return;
    }
    for (Index lane = 0; lane < height; ++lane) {
        const Index row = a.row(Size{first_row} + lane);
        if (row < a.n_rows) finish(row, sum[lane]);
    }
}

}  // namespace compressed

/// finish(i, (A x)_i) for every row i, several at once where that can be: what it writes, no row but i may read.
template <class Stored, class T, class Finish>
void for_compressed_rows(OpenMP& backend, const HostCompressedSell<Stored>& a, const T* x, const Finish& finish) {
    compressed::for_slices(backend, a, [&](Index slice) { compressed::finish_slice(a, slice, x, finish); });
}

}  // namespace stiefel
