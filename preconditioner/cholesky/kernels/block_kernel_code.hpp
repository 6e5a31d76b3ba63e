#pragma once

#include "stiefel/dense/packed/micro_kernel_code.hpp"
#include "stiefel/preconditioner/cholesky/block_kernels.hpp"

#include <algorithm>
#include <cmath>

// The text of the kernels of supernodes, in GCC's vector extensions; see micro_kernel_code.hpp for how it is compiled.

namespace stiefel::cholesky {

namespace {

using packed::load;
using packed::Simd;
using packed::store;

/// What fits the registers of an instruction set: L elements in each, tiles of V registers of rows by `columns`.
template <class T_, int L_, int V_>
struct Tile {
    using T = T_;
    using Register = Simd<T, L_>;
    static constexpr int L = L_, V = V_, columns = 4;
};

/// sum = C - A B' for V registers of rows and n columns, in registers: inlined, or they would be memory.
template <class Tile, int V, int n>
[[gnu::always_inline]] inline void difference(Index k, const typename Tile::T* a, Size lda, const typename Tile::T* b,
                                              Size ldb, const typename Tile::T* c, Size ldc,
                                              typename Tile::Register (&sum)[n][V]) {
    using Register = typename Tile::Register;
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[j][v] = load<Register>(c + j * ldc + v * Tile::L);
    }
    for (Index p = 0; p < k; ++p, a += lda, b += ldb) {
        Register column[V];
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) column[v] = load<Register>(a + v * Tile::L);
#pragma GCC unroll 8
        for (int j = 0; j < n; ++j) {
            const Register factor = b[j] - Register{};
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) sum[j][v] -= factor * column[v];
        }
    }
}

/// C -= A B' for V registers of rows and n columns, all sums in registers.
template <class Tile, int V, int n>
void update_tile(Index k, const typename Tile::T* a, Size lda, const typename Tile::T* b, Size ldb, typename Tile::T* c,
                 Size ldc) {
    using Register = typename Tile::Register;
    Register sum[n][V];
    difference<Tile, V, n>(k, a, lda, b, ldb, c, ldc, sum);
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) store(sum[j][v], c + j * ldc + v * Tile::L);
    }
}

/// The next n columns of X L^-T, from `done` columns that are there: V registers of rows.
template <class Tile, int V, int n>
void solve_tile(Index done, const typename Tile::T* x, Size ldx, const typename Tile::T* l, Size ldl,
                typename Tile::T* c) {
    using Register = typename Tile::Register;
    Register sum[n][V];
    difference<Tile, V, n>(done, x, ldx, l, ldl, c, ldx, sum);
    l += done * ldl;
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
        const Register inverse = l[j * ldl + j] - Register{};
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[j][v] *= inverse;
#pragma GCC unroll 8
        for (int i = j + 1; i < n; ++i) {
            const Register factor = l[j * ldl + i] - Register{};
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) sum[i][v] -= factor * sum[j][v];
        }
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) store(sum[j][v], c + j * ldx + v * Tile::L);
    }
}

/// f.operator()<V>(row) where V is so many registers, at most `most`.
template <int most, class F>
void with_registers(Index registers, Index row, F&& f) {
    if constexpr (most > 0) {
        if (registers == most) return f.template operator()<most>(row);
        with_registers<most - 1>(registers, row, f);
    }
}

/// f.operator()<V>(row) for rows in registers, in as few tiles as can be, and those of even height.
template <class Tile, class F>
void for_row_tiles(Index rows, F&& f) {
    const Index registers = (rows + Tile::L - 1) / Tile::L;
    const Index tiles = (registers + Tile::V - 1) / Tile::V;
    for (Index tile = 0; tile < tiles; ++tile) {
        const Index begin = registers * tile / tiles;
        with_registers<Tile::V>(registers * (tile + 1) / tiles - begin, begin * Tile::L, f);
    }
}

/// f.operator()<n>(column) for columns in fours and what is left.
template <class F>
void for_column_tiles(Index columns, F&& f) {
    Index j = 0;
    for (; j + 4 <= columns; j += 4) f.template operator()<4>(j);
    if (columns - j == 3) f.template operator()<3>(j);
    if (columns - j == 2) f.template operator()<2>(j);
    if (columns - j == 1) f.template operator()<1>(j);
}

template <class Tile, class T = typename Tile::T>
void update(Index rows, Index columns, Index k, const T* a, Size lda, const T* b, Size ldb, T* c, Size ldc) {
    for_row_tiles<Tile>(rows, [&]<int V>(Index i) {
        for_column_tiles(
            columns, [&]<int n>(Index j) { update_tile<Tile, V, n>(k, a + i, lda, b + j, ldb, c + i + j * ldc, ldc); });
    });
}

template <class Tile, class T = typename Tile::T>
void solve_rows(Index rows, Index w, const T* l, Size ldl, T* x, Size ldx) {
    for_row_tiles<Tile>(rows, [&]<int V>(Index i) {
        for_column_tiles(w,
                         [&]<int n>(Index j) { solve_tile<Tile, V, n>(j, x + i, ldx, l + j, ldl, x + i + j * ldx); });
    });
}

/// The factor of n columns that nothing is left to be taken from. Returns the first without a pivot, else n.
template <int n, class T>
Index factor_corner(T* a, Size ld, const T* least) {
    for (int j = 0; j < n; ++j) {
        T pivot = a[j * ld + j];
        for (int k = 0; k < j; ++k) pivot -= a[k * ld + j] * a[k * ld + j];
        if (!(pivot > least[j])) return j;
        const T inverse = T{1} / std::sqrt(pivot);
        a[j * ld + j] = inverse;
        for (int i = j + 1; i < n; ++i) {
            T sum = a[j * ld + i];
            for (int k = 0; k < j; ++k) sum -= a[k * ld + i] * a[k * ld + j];
            a[j * ld + i] = sum * inverse;
        }
    }
    return n;
}

template <class Tile, class T = typename Tile::T>
Index factor(Index w, T* a, Size ld, const T* least) {
    Index failed = w;
    for_column_tiles(w, [&]<int n>(Index j) {
        if (failed < w) return;
        const Index top = j / Tile::L * Tile::L;  // rows in whole registers; those above the diagonal mean nothing
        T* const c = a + j * ld;
        for_row_tiles<Tile>(
            w - top, [&]<int V>(Index i) { update_tile<Tile, V, n>(j, a + top + i, ld, a + j, ld, c + top + i, ld); });
        const Index column = factor_corner<n>(c + j, ld, least + j);
        if (column < n) {
            failed = j + column;
            return;
        }
        if (w - j == n) return;
        T corner[n][n];  // the rows of the corner pass through the same registers as those below it
        for (int q = 0; q < n; ++q) {
            for (int p = 0; p < n; ++p) corner[q][p] = c[q * ld + j + p];
        }
        for_row_tiles<Tile>(w - top, [&]<int V>(Index i) {
            solve_tile<Tile, V, n>(0, c + top + i, ld, &corner[0][0], n, c + top + i);
        });
        for (int q = 0; q < n; ++q) {
            for (int p = 0; p < n; ++p) c[q * ld + j + p] = corner[q][p];
        }
    });
    return failed;
}

/// x -= L y for n columns and rows in whole registers.
template <class Tile, int n, class T = typename Tile::T>
void subtract_columns(Index rows, const T* l, Size ld, const T (&y)[n], T* x) {
    using Register = typename Tile::Register;
    for (Index i = 0; i < rows; i += Tile::L) {
        Register sum = load<Register>(x + i);
#pragma GCC unroll 8
        for (int j = 0; j < n; ++j) sum -= (y[j] - Register{}) * load<Register>(l + j * ld + i);
        store(sum, x + i);
    }
}

/// y -= L' x for n columns and rows in whole registers.
template <class Tile, int n, class T = typename Tile::T>
void subtract_products(Index rows, const T* l, Size ld, const T* x, T (&y)[n]) {
    using Register = typename Tile::Register;
    Register sum[n] = {};
    for (Index i = 0; i < rows; i += Tile::L) {
        const Register factor = load<Register>(x + i);
#pragma GCC unroll 8
        for (int j = 0; j < n; ++j) sum[j] += factor * load<Register>(l + j * ld + i);
    }
    for (int j = 0; j < n; ++j) {
        T total = 0;
        for (int lane = 0; lane < Tile::L; ++lane) total += sum[j][lane];
        y[j] -= total;
    }
}

template <class Tile, class T = typename Tile::T>
void forward(Index w, Index rows, const T* l1, Size ld1, const T* l2, Size ld2, T* x1, T* x2) {
    for_column_tiles(w, [&]<int n>(Index j) {
        const T* const corner = l1 + j * ld1 + j;
        T y[n];
        for (int q = 0; q < n; ++q) {
            T sum = x1[j + q];
            for (int p = 0; p < q; ++p) sum -= corner[p * ld1 + q] * y[p];
            y[q] = sum * corner[q * ld1 + q];
        }
        const Index top = j / Tile::L * Tile::L;
        T ready[Tile::L];  // of x1, in registers that hold others below them
        for (Index i = top; i < j; ++i) ready[i - top] = x1[i];
        subtract_columns<Tile>(w - top, l1 + j * ld1 + top, ld1, y, x1 + top);
        for (Index i = top; i < j; ++i) x1[i] = ready[i - top];
        for (int q = 0; q < n; ++q) x1[j + q] = y[q];
        subtract_columns<Tile>(rows, l2 + j * ld2, ld2, y, x2);
    });
}

template <class Tile, class T = typename Tile::T>
void backward(Index w, Index rows, const T* l1, Size ld1, const T* l2, Size ld2, T* x1, const T* x2) {
    const auto finish = [&]<int n>(Index j) {
        const T* const corner = l1 + j * ld1 + j;
        T y[n];
        for (int q = 0; q < n; ++q) y[q] = x1[j + q];
        subtract_products<Tile>(rows, l2 + j * ld2, ld2, x2, y);
        const Index whole = (j + n + Tile::L - 1) / Tile::L * Tile::L;
        for (Index i = j + n; i < std::min(w, whole); ++i) {
            for (int q = 0; q < n; ++q) y[q] -= l1[(j + q) * ld1 + i] * x1[i];
        }
        subtract_products<Tile>(w - whole, l1 + j * ld1 + whole, ld1, x1 + whole, y);
        for (int q = n - 1; q >= 0; --q) {
            for (int p = q + 1; p < n; ++p) y[q] -= corner[q * ld1 + p] * y[p];
            y[q] *= corner[q * ld1 + q];
        }
        for (int q = 0; q < n; ++q) x1[j + q] = y[q];
    };
    const Index last = w / 4 * 4;
    if (w - last == 3) finish.template operator()<3>(last);
    if (w - last == 2) finish.template operator()<2>(last);
    if (w - last == 1) finish.template operator()<1>(last);
    for (Index j = last - 4; j >= 0; j -= 4) finish.template operator()<4>(j);
}

template <class T, int L, int V>
constexpr BlockKernels<T> block_kernels_of(std::string_view instructions) {
    using Shape = Tile<T, L, V>;
    return {instructions, V * L, update<Shape>, factor<Shape>, solve_rows<Shape>, forward<Shape>, backward<Shape>};
}

}  // namespace

}  // namespace stiefel::cholesky
