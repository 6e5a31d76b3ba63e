#pragma once

#include "stiefel/core/register_bytes.hpp"
#include "stiefel/spmv/openmp/compressed/columns.hpp"
#include "stiefel/spmv/openmp/compressed/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

// Included by the files that are compiled for one instruction set each; what is not theirs alone names its set (see
// spmm/simd/code.hpp).

namespace stiefel::compressed {

namespace {

constexpr Index cache_line = 64;

/// So many lanes are worked on in a register; a slice has a few of them.
template <class T>
constexpr Index lanes = std::min<Index>(8, compiled_register_bytes / static_cast<Index>(sizeof(T)));
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
[[gnu::always_inline]] inline Lanes<T> load_x(const DiagonalColumns<T>& columns, Index base, const std::uint16_t*,
                                              Index lane) {
    return load<T>(columns.x + base + lane);
}
/// Element by element, which takes two thirds of the time of a gather (Sapphire Rapids).
template <class T, class Distance>
[[gnu::always_inline]] inline Lanes<T> load_x(const ListedColumns<T, Distance>& columns, Index base,
                                              const std::uint16_t* distances, Index lane) {
    const T* const from = columns.x + base;
    const Distance* const d = reinterpret_cast<const Distance*>(distances) + lane;
    return [&]<std::size_t... k>(std::index_sequence<k...>) __attribute__((always_inline)) {
        return Lanes<T>{from[d[k]]...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>());
}

/// How far ahead values and distances are asked for, in groups.
constexpr Size ahead = 8;

/// Of `part` lanes from `first` on, whose sums stay in registers.
template <Index part, bool padded, class Stored, class T, class Columns>
[[gnu::always_inline]] inline void multiply_lanes(const SliceEntries<Stored>& slice, const Columns& of_columns,
                                                  Index first, T* to) {
    Lanes<T> sums[part / lanes<T>] = {};
    const std::uint16_t* distances = slice.distances;
    const Stored* values = slice.values + first;
    for (Size group = 0; group < slice.n_groups; ++group, distances += of_columns.step, values += height) {
        const Index base = slice.base[group];
        for (Size line = 0; first == 0 && line < of_columns.step; line += 32) {
            __builtin_prefetch(distances + ahead * of_columns.step + line, 0, 3);
        }
        for (Index line = 0; line < part; line += cache_line / static_cast<Index>(sizeof(Stored))) {
            __builtin_prefetch(values + ahead * height + line, 0, 3);
        }
        for (Index r = 0; r < part / lanes<T>; ++r) {
            const Lanes<T> of_values = load<T>(values + r * lanes<T>);
            const Lanes<T> of_x = load_x(of_columns, base, distances, first + r * lanes<T>);
            sums[r] += of_values * (padded ? of_entries<T>(of_values, of_x) : of_x);
        }
    }
    std::memcpy(to + first, sums, sizeof sums);
}

template <class Stored, class T>
[[gnu::always_inline]] inline void multiply_slice(const SliceEntries<Stored>& slice, const T* x, T* sums) {
    constexpr Index most_sums = 8;  // of 16 registers; with 32 there are only four
    constexpr Index part = std::min(height, most_sums * lanes<T>);
    with_columns(
        slice.columns, slice.padded,
        x, [&]<bool padded>(const auto& columns, std::bool_constant<padded>) __attribute__((always_inline)) {
            for (Index first = 0; first < height; first += part) {
                multiply_lanes<part, padded>(slice, columns, first, sums);
            }
        });
}

}  // namespace

template <class InstructionSet>
template <class Stored, class T>
SliceProduct<Stored, T> SliceProducts<InstructionSet>::of() {
    return multiply_slice<Stored, T>;
}

}  // namespace stiefel::compressed
