#pragma once

#include "stiefel/spmv/openmp/prefetch.hpp"
#include "stiefel/spmv/openmp/spmm/simd/kernel.hpp"

#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Included by the files that are compiled for one instruction set each. All of it belongs to the file that includes it,
// or names its instruction set: were two files to define one function, the linker would keep either, and a machine
// might meet instructions that it lacks.

namespace stiefel {

namespace spmm_simd {

namespace {

/// n elements of T, n T bytes at most a register.
template <class T, int n>
struct VectorOf {
    typedef T type __attribute__((vector_size(n * sizeof(T))));
};

/// Writes a whole register around the caches; `to` is aligned to its size.
template <class V, class T>
[[gnu::always_inline]] inline void stream(const V& value, T* to) {
#if defined(__x86_64__)
    if constexpr (sizeof(V) == 16) return _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)value);
#endif
#if defined(__AVX__)
    if constexpr (sizeof(V) == 32) return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)value);
#endif
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)value);
#endif
    __builtin_memcpy(to, &value, sizeof value);
}

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
    /// What the chains hold together.
    [[gnu::always_inline]] Register total(int i) const {
        if constexpr (chains == 2) return sum[0][i] + sum[1][i];
        return sum[0][i];
    }
};

// What becomes of the sums of a row.

/// Y = alpha A X + beta Y
template <class T>
struct Scaled {
    T* y;
    Size ldy;
    T alpha;
    T beta;

    template <class Row>
    [[gnu::always_inline]] void operator()(const Row& sums, Index row, Index column) const {
        T* const to = y + row * ldy + column;
#pragma GCC unroll 64
        for (int i = 0; i < Row::n; ++i) {
            typename Row::Register result = sums.total(i) * (alpha - typename Row::Register{});
            if (beta != T{0}) result += (beta - typename Row::Register{}) * Row::load(to + i * Row::width);
            __builtin_memcpy(to + i * Row::width, &result, sizeof result);
        }
    }
};

/// Y = A X, around the caches if `streams`
template <class T, bool streams>
struct Plain {
    T* y;
    Size ldy;

    template <class Row>
    [[gnu::always_inline]] void operator()(const Row& sums, Index row, Index column) const {
        T* const to = y + row * ldy + column;
#pragma GCC unroll 64
        for (int i = 0; i < Row::n; ++i) {
            const typename Row::Register result = sums.total(i);
            if constexpr (streams) {
                stream(result, to + i * Row::width);
            } else {
                __builtin_memcpy(to + i * Row::width, &result, sizeof result);
            }
        }
    }
};

/// Y = A X  and  X' Y, whose k x k sums stay in registers of doubles: no subscript is left to run time.
template <class T, int columns, bool streams>
struct WithGram {
    using Sums = typename VectorOf<double, columns>::type;

    [[gnu::always_inline]] WithGram(const T* x_, Size ldx_, Plain<T, streams> plain_)
        : x(x_), ldx(ldx_), plain(plain_) {}

    const T* x;
    Size ldx;
    Plain<T, streams> plain;
    Sums gram[columns] = {};

    template <class Row>
    [[gnu::always_inline]] void operator()(const Row& sums, Index row, Index column) {
        static_assert(Row::width == columns);
        plain(sums, row, column);
        const Sums y_row = sums.total(0);
        const T* const x_row = x + row * ldx;
        for_each_column([&](auto i) __attribute__((always_inline)) { gram[i] += (x_row[i] - Sums{}) * y_row; });
    }
    [[gnu::always_inline]] void add_to(double* total) const {
        for_each_column([&](auto i) __attribute__((always_inline)) {
            Sums row;
            __builtin_memcpy(&row, total + i * columns, sizeof row);
            row += gram[i];
            __builtin_memcpy(total + i * columns, &row, sizeof row);
        });
    }

private:
    template <class F>
    [[gnu::always_inline]] static void for_each_column(F&& f) {
        [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
            (f(std::integral_constant<int, i>()), ...);
        }
        (std::make_integer_sequence<int, columns>());
    }
};

/// The sums of one row of A for `columns` columns of X from the given ones on.
template <int lanes, int columns, class Rows, class Entries, class T>
[[gnu::always_inline]] inline auto multiply_row(const Rows& rows, const Entries& entries, const T* x, Size ldx) {
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
    return sums;
}

/// Asks for the entries of rows to come.
template <class Rows, class Entries>
[[gnu::always_inline]] inline void prefetch_ahead(const Rows& rows, const Entries& entries) {
    for (Index j = 0; j < entries.count; j += 8) {
        prefetch_entries(rows.values, rows.col_idx, entries.first + j * entries.step);
    }
}

/// All rows for just `columns` columns. The rows are the function's own, so that where their arrays lie stays in
/// registers.
template <int lanes, int columns, class Rows, class T, class Finish>
[[gnu::always_inline]] inline void multiply_exactly(const Rows& shared, const T* x, Size ldx, Finish& finish,
                                                    Size first, Size last) {
    const Rows rows = shared;
    for (Size place = first; place < last; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const auto entries = rows.entries(place);
        prefetch_ahead(rows, entries);
        finish(multiply_row<lanes, columns>(rows, entries, x, ldx), row, 0);
    }
}

/// All rows for any number of columns: 32 at a time, then what is left in powers of two.
template <int lanes, class Rows, class T, class Finish>
[[gnu::always_inline]] inline void multiply_composed(const Rows& shared, const T* x, Size ldx, Index k, Finish& finish,
                                                     Size first, Size last) {
    const Rows rows = shared;
    for (Size place = first; place < last; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        const auto entries = rows.entries(place);
        prefetch_ahead(rows, entries);
        Index column = 0;
        const auto take = [&]<int columns>(std::integral_constant<int, columns>) {
            finish(multiply_row<lanes, columns>(rows, entries, x + column, ldx), row, column);
            column += columns;
        };
        while (k - column >= 32) take(std::integral_constant<int, 32>());
        if ((k - column) & 16) take(std::integral_constant<int, 16>());
        if ((k - column) & 8) take(std::integral_constant<int, 8>());
        if ((k - column) & 4) take(std::integral_constant<int, 4>());
        if ((k - column) & 2) take(std::integral_constant<int, 2>());
        if ((k - column) & 1) take(std::integral_constant<int, 1>());
    }
}

/// `lanes` elements fill a register.
template <int lanes, class Rows, class T, class Finish>
void multiply(const Rows& rows, const SpmmArguments<T>& s, Finish finish, Size first, Size last) {
    switch (s.k) {
        case 2:
            return multiply_exactly<lanes, 2>(rows, s.x, s.ldx, finish, first, last);
        case 4:
            return multiply_exactly<lanes, 4>(rows, s.x, s.ldx, finish, first, last);
        case 8:
            return multiply_exactly<lanes, 8>(rows, s.x, s.ldx, finish, first, last);
        case 16:
            return multiply_exactly<lanes, 16>(rows, s.x, s.ldx, finish, first, last);
        case 32:
            return multiply_exactly<lanes, 32>(rows, s.x, s.ldx, finish, first, last);
        case 64:
            return multiply_exactly<lanes, 64>(rows, s.x, s.ldx, finish, first, last);
        default:
            return multiply_composed<lanes>(rows, s.x, s.ldx, s.k, finish, first, last);
    }
}

/// f.operator()<columns>() if k columns are one register of `bytes` whose Gram matrix stays in registers too: up to 8
/// doubles. Elements of float would have to be widened one by one, which costs more than a pass over the panels.
/// Returns whether they are.
template <class T, int bytes, class F>
[[gnu::always_inline]] inline bool with_gram_in_registers(Index k, F&& f) {
    const auto take = [&]<int columns>(std::integral_constant<int, columns>) {
        constexpr bool fits = std::is_same_v<T, double> && columns * static_cast<int>(sizeof(T)) <= bytes;
        if constexpr (fits) f.template operator()<columns>();
        return fits;
    };
    if (k == 2) return take(std::integral_constant<int, 2>());
    if (k == 4) return take(std::integral_constant<int, 4>());
    if (k == 8) return take(std::integral_constant<int, 8>());
    return false;
}

/// Orders streamed writes before what the thread does next.
[[gnu::always_inline]] inline void fence() {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/// RowsKernel::multiply
template <int lanes, class Rows, class T = typename Rows::value_type>
void multiply_rows(const Rows& rows, const SpmmArguments<T>& s, bool streams, Size first, Size last) {
    if (s.alpha != 1 || s.beta != 0) {
        multiply<lanes>(rows, s, Scaled<T>{s.y, s.ldy, s.alpha, s.beta}, first, last);
    } else if (streams) {
        multiply<lanes>(rows, s, Plain<T, true>{s.y, s.ldy}, first, last);
        fence();
    } else {
        multiply<lanes>(rows, s, Plain<T, false>{s.y, s.ldy}, first, last);
    }
}

template <int lanes, int columns, bool streams, class Rows, class T>
void multiply_with_gram(const Rows& rows, const SpmmArguments<T>& s, Size first, Size last, double* gram) {
    WithGram<T, columns, streams> finish(s.x, s.ldx, {s.y, s.ldy});
    multiply_exactly<lanes, columns>(rows, s.x, s.ldx, finish, first, last);
    finish.add_to(gram);
}

/// RowsKernel::multiply_with_gram
template <int lanes, class Rows, class T = typename Rows::value_type>
void multiply_rows_with_gram(const Rows& rows, const SpmmArguments<T>& s, bool streams, Size first, Size last,
                             double* gram) {
    with_gram_in_registers<T, lanes* static_cast<int>(sizeof(T))>(s.k, [&]<int columns>() {
        if (streams) {
            multiply_with_gram<lanes, columns, true>(rows, s, first, last, gram);
            fence();
        } else {
            multiply_with_gram<lanes, columns, false>(rows, s, first, last, gram);
        }
    });
}

}  // namespace

}  // namespace spmm_simd

template <class InstructionSet>
inline constexpr int register_bytes = 16;
template <>
inline constexpr int register_bytes<Avx2> = 32;
template <>
inline constexpr int register_bytes<Avx512> = 64;

template <class InstructionSet, class Rows>
RowsKernel<Rows> rows_kernel() {
    using T = typename Rows::value_type;
    constexpr int bytes = register_bytes<InstructionSet>;
    constexpr int lanes = bytes / static_cast<int>(sizeof(T));
    return {.multiply = spmm_simd::multiply_rows<lanes, Rows>,
            .holds_gram = [](Index k) { return spmm_simd::with_gram_in_registers<T, bytes>(k, []<int>() {}); },
            .multiply_with_gram = spmm_simd::multiply_rows_with_gram<lanes, Rows>};
}

}  // namespace stiefel
