#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/register_bytes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

// Rows of panels in registers, for the products of block CG with small matrices. Included by one file, which is
// compiled for the widest registers of the machine.

namespace stiefel {

namespace {

/// f(0), ..., f(n - 1) with constants, so that what they subscript can stay in registers.
template <int n, class F>
[[gnu::always_inline]] inline void for_constants(F&& f) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, i>()), ...);
    }
    (std::make_integer_sequence<int, n>());
}

/// The number of columns, where panels have just K and no gaps between rows. Others have it in an Index.
template <int K>
using Whole = std::integral_constant<Index, K>;
template <class Count>
inline constexpr bool is_whole = !std::is_same_v<Count, Index>;

inline constexpr int doubles_of_register = compiled_register_bytes / static_cast<int>(sizeof(double));
/// What half of the registers hold: of the widest there are 32, of others 16.
inline constexpr int doubles_held = (doubles_of_register == 8 ? 16 : 8) * doubles_of_register;

/// K doubles in registers.
template <int K>
struct RegisterRow {
    static constexpr int lanes = std::min(K, doubles_of_register);
    static constexpr int n = K / lanes;
    typedef double Register __attribute__((vector_size(lanes * sizeof(double))));

    Register part[n] = {};

    /// this += factor row
    [[gnu::always_inline]] void add(double factor, const double* row) {
        for_constants<n>([&](auto v) __attribute__((always_inline)) {
            Register other;
            __builtin_memcpy(&other, row + v * lanes, sizeof other);
            part[v] += (factor - Register{}) * other;
        });
    }
    [[gnu::always_inline]] void add(double factor, const RegisterRow& row) {
        for_constants<n>([&](auto v)
                             __attribute__((always_inline)) { part[v] += (factor - Register{}) * row.part[v]; });
    }
    [[gnu::always_inline]] void scale(double factor) {
        for_constants<n>([&](auto v) __attribute__((always_inline)) { part[v] *= factor - Register{}; });
    }

    [[gnu::always_inline]] static RegisterRow loaded(const double* from) {
        RegisterRow row;
        for_constants<n>([&](auto v) __attribute__((always_inline)) {
            __builtin_memcpy(&row.part[v], from + v * lanes, sizeof(Register));
        });
        return row;
    }
    /// The first k elements; a constant k is K.
    template <class T, class Count>
    [[gnu::always_inline]] void store(T* to, Count k) const {
        if constexpr (is_whole<Count>) {
            for_constants<n>([&](auto v) __attribute__((always_inline)) {
                typedef T Rounded __attribute__((vector_size(lanes * sizeof(T))));
                const Rounded rounded = __builtin_convertvector(part[v], Rounded);
                __builtin_memcpy(to + v * lanes, &rounded, sizeof rounded);
            });
        } else {
            double elements[K];
            store(elements, Whole<K>());
            for (Index j = 0; j < K; ++j) {
                if (j < k) to[j] = static_cast<T>(elements[j]);
            }
        }
    }
};

/// A k x k matrix with rows of K elements, zeros behind the k.
template <int K>
struct alignas(64) Widened {
    double rows[K][K] = {};

    Widened(Index k, const double* matrix, bool transposed = false, double factor = 1) {
        for (Index i = 0; i < k; ++i) {
            for (Index j = 0; j < k; ++j) rows[i][j] = factor * matrix[transposed ? j * k + i : i * k + j];
        }
    }
};

/// Rows begin .. end - 1 of a panel as doubles, K in each and without gaps: where they lie if they are such, else
/// widened into `room`, zeros behind their elements.
template <int K, class T, class Count>
[[gnu::always_inline]] inline const double* as_doubles(const HostMatrix<T>& a, Count k, Size begin, Size end,
                                                       double* room) {
    if constexpr (is_whole<Count>) {
        const T* const first = a.data + begin * K;
        if constexpr (std::is_same_v<std::remove_const_t<T>, double>) return first;
        for (Size e = 0; e < (end - begin) * K; ++e) room[e] = static_cast<double>(first[e]);
    } else {
        for (Size row = begin; row < end; ++row) {
            const T* const from = a.data + row * a.ld;
            double* const to = room + (row - begin) * K;
            for (Index j = 0; j < K; ++j) to[j] = j < k ? static_cast<double>(from[j]) : 0;
        }
    }
    return room;
}

/// Rows of a panel for products, which read one element after the other: row r begins at data + r ld.
template <class Ld>
struct Operand {
    const double* data;
    Ld ld;

    [[gnu::always_inline]] const double* row(Size r) const { return data + r * ld; }
};

/// The same rows, widened only where they are no doubles.
template <int K, class T, class Count>
[[gnu::always_inline]] inline auto as_operand(const HostMatrix<T>& a, Count k, Size begin, Size end, double* room) {
    if constexpr (!is_whole<Count> && std::is_same_v<std::remove_const_t<T>, double>) {
        return Operand<Size>{a.data + begin * a.ld, a.ld};
    } else {
        return Operand<std::integral_constant<Size, K>>{as_doubles<K>(a, k, begin, end, room), {}};
    }
}

/// Rows that are multiplied side by side.
template <int K, int rows>
struct RegisterRows {
    RegisterRow<K> row[rows] = {};

    /// row_r += from_(first + r) B, of which k rows are not zero
    template <class Ld, class Count>
    [[gnu::always_inline]] void add_product(const Operand<Ld>& from, Size first, const Widened<K>& b, Count k) {
        const double* const elements = from.row(first);
        for (Index i = 0; i < k; ++i) {
            for_constants<rows>([&](auto r) __attribute__((always_inline)) {
                row[r].add(elements[r * from.ld + i], b.rows[i]);
            });
        }
    }
    /// row_r += elements_r other
    [[gnu::always_inline]] void add_outer_product(const double* elements, const RegisterRow<K>& other) {
        for_constants<rows>([&](auto r) __attribute__((always_inline)) { row[r].add(elements[r], other); });
    }
    template <class Factor>
    [[gnu::always_inline]] void scale(Factor&& factor) {
        for_constants<rows>([&](auto r) __attribute__((always_inline)) { row[r].scale(factor(r)); });
    }
    [[gnu::always_inline]] void load(const double* from) {
        for_constants<rows>([&](auto r)
                                __attribute__((always_inline)) { row[r] = RegisterRow<K>::loaded(from + r * K); });
    }
    template <class T, class Count>
    [[gnu::always_inline]] void store(T* to, Size ld, Count k) const {
        for_constants<rows>([&](auto r) __attribute__((always_inline)) {
            row[r].store(to + r * (is_whole<Count> ? Size{K} : ld), k);
        });
    }
};

/// Rows that are multiplied together, so that an element of a small matrix is loaded once for all of them: half of the
/// registers hold their sums.
template <int K>
inline constexpr int row_group = std::clamp(doubles_held / K, 1, 8);

/// f(row, rows) for groups of rows, whole ones with their number known to the compiler.
template <int K, class F>
[[gnu::always_inline]] inline void for_each_group(Size begin, Size end, F&& f) {
    Size row = begin;
    for (; row + row_group<K> <= end; row += row_group<K>) f(row, std::integral_constant<int, row_group<K>>{});
    for (; row < end; ++row) f(row, std::integral_constant<int, 1>{});
}

/// Rows of a K x K matrix of sums that fill half of the registers, a divisor of K.
template <int K>
inline constexpr int padded_columns = static_cast<int>(std::bit_ceil(static_cast<unsigned>(K)));
template <int K>
inline constexpr int gram_rows = K* padded_columns<K> <= doubles_held
                                     ? K
                                     : std::gcd(K, std::max(1, doubles_held / padded_columns<K>));

struct Unweighted {};

/// g += sum_r weight(r) row_r' row_r, K x K, some rows of G at a time: as many as accumulate in registers. meanwhile(r)
/// is called once for each row.
template <int K, class Weight, class Meanwhile>
inline void add_gram(const double* rows, Index n_rows, Weight weight, double* g, Meanwhile meanwhile) {
    constexpr int in_registers = gram_rows<K>;
    for (Index first = 0; first < K; first += in_registers) {
        RegisterRows<K, in_registers> sums;
        sums.load(g + first * K);
        for (Index r = 0; r < n_rows; ++r) {
            const double* const row = rows + r * K;
            if (first == 0) meanwhile(r);
            auto weighted = RegisterRow<K>::loaded(row);
            if constexpr (!std::is_same_v<Weight, Unweighted>) weighted.scale(weight(r));
            sums.add_outer_product(row + first, weighted);
        }
        sums.store(g + first * K, K, Whole<K>());
    }
}

}  // namespace

}  // namespace stiefel
