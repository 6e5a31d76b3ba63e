#pragma once

#include "stiefel/spmv/openmp/prefetch.hpp"
#include "stiefel/spmv/openmp/spmm/simd/kernel.hpp"

// Included by the files that are compiled for one instruction set each. Everything here is a template over the width of
// its registers, so no two of them share a function.

namespace stiefel {

namespace spmm_simd {

/// n elements of T, n T bytes at most a register.
template <class T, int n>
struct VectorOf {
    typedef T type __attribute__((vector_size(n * sizeof(T))));
};

/// `columns` sums of a row in registers of `lanes` elements; two of each where there is only one, so that an addition
/// waits for the one before the last.
template <class T, int lanes, int columns>
struct RegisterRow {
    static constexpr int width = columns < lanes ? columns : lanes;
    static constexpr int n = columns / width;
    static constexpr int chains = n == 1 ? 2 : 1;
    using Register = typename VectorOf<T, width>::type;

    Register sum[chains][n] = {};

    [[gnu::always_inline]] static Register load(const T* from) {
        Register value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }
    [[gnu::always_inline]] void add(int chain, T value, const T* x) {
        const Register factor = value - Register{};
#pragma GCC unroll 64
        for (int i = 0; i < n; ++i) sum[chain][i] += factor * load(x + i * width);
    }
    [[gnu::always_inline]] void store(T* y, T alpha, T beta) {
#pragma GCC unroll 64
        for (int i = 0; i < n; ++i) {
            Register result = sum[0][i];
            if constexpr (chains == 2) result += sum[1][i];
            result *= alpha - Register{};
            if (beta != T{0}) result += (beta - Register{}) * load(y + i * width);
            __builtin_memcpy(y + i * width, &result, sizeof result);
        }
    }
};

/// One row of A, `columns` columns of X and Y from the given ones on.
template <int lanes, int columns, class Rows, class Entries, class T>
[[gnu::always_inline]] inline void multiply_row(const Rows& rows, const Entries& entries, const T* x, Size ldx, T* y,
                                                T alpha, T beta) {
    using Row = RegisterRow<T, lanes, columns>;
    Row sums;
    Size at = entries.first;
    Index left = entries.count;
    for (; left >= 2; left -= 2, at += 2 * entries.step) {
        const Size next = at + entries.step;
        sums.add(0, rows.values[at], x + rows.col_idx[at] * ldx);
        sums.add(Row::chains - 1, rows.values[next], x + rows.col_idx[next] * ldx);
    }
    if (left == 1) sums.add(0, rows.values[at], x + rows.col_idx[at] * ldx);
    sums.store(y, alpha, beta);
}

/// Asks for the entries of rows to come.
template <class Rows, class Entries>
[[gnu::always_inline]] inline void prefetch_ahead(const Rows& rows, const Entries& entries) {
    for (Index j = 0; j < entries.count; j += 8) {
        prefetch_entries(rows.values, rows.col_idx, entries.first + j * entries.step);
    }
}

/// All rows for just `columns` columns.
template <int lanes, int columns, class Rows, class T>
void multiply_exactly(const Rows& rows, const SpmmArguments<T>& s, Size first, Size last) {
    for (Size place = first; place < last; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const auto entries = rows.entries(place);
        prefetch_ahead(rows, entries);
        multiply_row<lanes, columns>(rows, entries, s.x, s.ldx, s.y + row * s.ldy, s.alpha, s.beta);
    }
}

/// All rows for any number of columns: 32 at a time, then what is left in powers of two.
template <int lanes, class Rows, class T>
void multiply_composed(const Rows& rows, const SpmmArguments<T>& s, Size first, Size last) {
    for (Size place = first; place < last; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const auto entries = rows.entries(place);
        prefetch_ahead(rows, entries);
        Index column = 0;
        const auto take = [&]<int columns>(std::integral_constant<int, columns>) {
            multiply_row<lanes, columns>(rows, entries, s.x + column, s.ldx, s.y + row * s.ldy + column, s.alpha,
                                         s.beta);
            column += columns;
        };
        while (s.k - column >= 32) take(std::integral_constant<int, 32>());
        if ((s.k - column) & 16) take(std::integral_constant<int, 16>());
        if ((s.k - column) & 8) take(std::integral_constant<int, 8>());
        if ((s.k - column) & 4) take(std::integral_constant<int, 4>());
        if ((s.k - column) & 2) take(std::integral_constant<int, 2>());
        if ((s.k - column) & 1) take(std::integral_constant<int, 1>());
    }
}

/// `lanes` elements fill a register.
template <int lanes, class Rows, class T>
void multiply(const Rows& rows, const SpmmArguments<T>& s, Size first, Size last) {
    switch (s.k) {
        case 2:
            return multiply_exactly<lanes, 2>(rows, s, first, last);
        case 4:
            return multiply_exactly<lanes, 4>(rows, s, first, last);
        case 8:
            return multiply_exactly<lanes, 8>(rows, s, first, last);
        case 16:
            return multiply_exactly<lanes, 16>(rows, s, first, last);
        case 32:
            return multiply_exactly<lanes, 32>(rows, s, first, last);
        case 64:
            return multiply_exactly<lanes, 64>(rows, s, first, last);
        default:
            return multiply_composed<lanes>(rows, s, first, last);
    }
}

}  // namespace spmm_simd

template <class InstructionSet>
inline constexpr int register_bytes = 16;
template <>
inline constexpr int register_bytes<Avx2> = 32;
template <>
inline constexpr int register_bytes<Avx512> = 64;

template <class InstructionSet, class Rows>
void multiply_in_registers(const Rows& rows, const SpmmArguments<typename Rows::value_type>& s, Size first, Size last) {
    constexpr int lanes = register_bytes<InstructionSet> / static_cast<int>(sizeof(typename Rows::value_type));
    spmm_simd::multiply<lanes>(rows, s, first, last);
}

}  // namespace stiefel
