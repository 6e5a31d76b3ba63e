#pragma once

#include "stiefel/dense/packed/folded_panel_code.hpp"
#include "stiefel/dense/packed/lanes.hpp"
#include "stiefel/dense/packed/panel_kernel.hpp"
#include "stiefel/dense/packed/register_transpose.hpp"

#include <algorithm>
#include <array>
#include <utility>

// The text of all panel kernels; see micro_kernel_code.hpp for how it is compiled.

namespace stiefel::packed {

namespace {

/// Tiles of sums in registers: at most `rows` by `width` registers of L doubles.
template <int L_, int rows_, int width_>
struct PanelTile {
    static constexpr int L = L_, rows = rows_, width = width_;
};

/// f.operator()<k>() if rows of k columns without gaps fold into registers of L. Returns whether they do.
template <int L, class F>
bool fold(Index k, Size ld, F&& f) {
    if (k != ld || k > L) return false;
    if (k == 1) f.template operator()<1>();
    if constexpr (L >= 2) {
        if (k == 2) f.template operator()<2>();
    }
    if constexpr (L >= 4) {
        if (k == 4) f.template operator()<4>();
    }
    return k == 1 || k == 2 || k == 4;
}

/// n columns from `first` on, in as few tiles of whole registers as can be, and those of even width:
/// f(column, registers).
template <class Tile, class F>
void for_column_tiles(Index first, Index n, F&& f) {
    const Index registers = (n - first + Tile::L - 1) / Tile::L;
    const Index tiles = (registers + Tile::width - 1) / Tile::width;
    for (Index tile = 0; tile < tiles; ++tile) {
        const Index begin = registers * tile / tiles;
        f(first + begin * Tile::L, registers * (tile + 1) / tiles - begin);
    }
}

/// table[rows - 1][width - 1] holds make.operator()<rows, width>() for every tile up to the full one.
template <class Tile, class Make>
constexpr auto tile_table(Make make) {
    return [&]<int... r>(std::integer_sequence<int, r...>) {
        const auto row = [&]<int rows, int... w>(std::integral_constant<int, rows>, std::integer_sequence<int, w...>) {
            return std::array{make.template operator()<rows, w + 1>()...};
        };
        return std::array{row(std::integral_constant<int, r + 1>{}, std::make_integer_sequence<int, Tile::width>{})...};
    }
    (std::make_integer_sequence<int, Tile::rows>{});
}

/// S += P' Q for MR columns of P and V registers of columns of Q. Narrow tiles sum several rows side by side, so that
/// about eight multiply-adds are always under way.
template <int L, int MR, int V>
void gram_tile(Size rows, const double* p, Size ldp, const double* q, Size ldq, const Lanes<double, L>& last,
               Size p_ahead, Size q_ahead, double* sums, Size ld) {
    using Register = Simd<double, L>;
    constexpr int U = MR * V >= 8 ? 1 : MR * V >= 4 ? 2 : MR * V >= 2 ? 4 : 8;
    Register sum[U][MR][V] = {};
    const auto add_row = [&](Size r, Register(&to)[MR][V]) {
        const double* const pr = p + r * ldp;
        const double* const qr = q + r * ldq;
        if (p_ahead != 0) __builtin_prefetch(pr + p_ahead);
        if (q_ahead != 0) {
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) __builtin_prefetch(qr + q_ahead + v * L);
        }
        Register row[V];
#pragma GCC unroll 4
        for (int v = 0; v < V - 1; ++v) row[v] = load<Register>(qr + v * L);
        row[V - 1] = last.load(qr + (V - 1) * L);
#pragma GCC unroll 8
        for (int i = 0; i < MR; ++i) {
            const Register factor = pr[i] - Register{};
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) to[i][v] += factor * row[v];
        }
    };
    Size r = 0;
    for (; r + U <= rows; r += U) {
#pragma GCC unroll 8
        for (int u = 0; u < U; ++u) add_row(r + u, sum[u]);
    }
    for (; r < rows; ++r) add_row(r, sum[0]);
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
#pragma GCC unroll 8
            for (int u = 1; u < U; ++u) sum[0][i][v] += sum[u][i][v];
            double* const place = sums + i * ld + v * L;
            store(load<Register>(place) + sum[0][i][v], place);
        }
    }
}

/// See PanelKernel::add_gram.
template <class Tile>
void add_gram(Size rows, PanelRows<const double> p, PanelRows<const double> q, Size rows_ahead, double* sums, Size ld) {
    constexpr int L = Tile::L;
    static constexpr auto tiles = tile_table<Tile>(
        []<int MR, int V>() { return static_cast<decltype(&gram_tile<L, MR, V>)>(gram_tile<L, MR, V>); });
    const auto folded = [&]<int k>() { folded_gram<L, k>(rows, p.data, q.data, rows_ahead * k, sums, ld); };
    if (p.n_cols == q.n_cols && p.ld == q.ld && fold<L>(p.n_cols, p.ld, folded)) return;
    const bool same = p.data == q.data && p.ld == q.ld && p.n_cols == q.n_cols;
    for (Index i = 0; i < p.n_cols; i += Tile::rows) {
        const auto height = static_cast<std::size_t>(std::min<Index>(Tile::rows, p.n_cols - i));
        const Index first = same ? i : 0;
        for_column_tiles<Tile>(first, q.n_cols, [&](Index j, Index width) {
            const Lanes<double, L> last(std::min<Index>(L, q.n_cols - j - (width - 1) * L));
            tiles[height - 1][static_cast<std::size_t>(width - 1)](
                rows, p.data + i, p.ld, q.data + j, q.ld, last, j == first && !same ? rows_ahead * p.ld : 0,
                i == 0 ? rows_ahead * q.ld : 0, sums + i * ld + j, ld);
        });
    }
}

/// Y = alpha X B + beta Y for MR rows and V registers of columns; X has k columns.
template <class T, int L, int MR, int V>
void update_tile(Index k, double alpha, const double* x, Size ldx, const double* b, Size ldb, double beta, T* y,
                 Size ldy, const Lanes<T, L>& last, bool streaming) {
    using Register = Simd<double, L>;
    Register sum[MR][V] = {};
    for (Index p = 0; p < k; ++p) {
        Register row[V];
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) row[v] = load<Register>(b + p * ldb + v * L);
#pragma GCC unroll 8
        for (int i = 0; i < MR; ++i) {
            const Register factor = x[i * ldx + p] - Register{};
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) sum[i][v] += factor * row[v];
        }
    }
    // Every row is read before the first is written: a masked load waits for a store that it seems to overlap.
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
            sum[i][v] *= alpha;
            if (beta == 0) continue;
            const T* const place = y + i * ldy + v * L;
            const Simd<T, L> before = v < V - 1 ? load<Simd<T, L>>(place) : last.load(place);
            sum[i][v] += beta * widened<T, L>(before);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
            T* const place = y + i * ldy + v * L;
            const Simd<T, L> result = rounded<T, L>(sum[i][v]);
            if (streaming) {
                stream(result, place);
            } else if (v < V - 1) {
                store(result, place);
            } else {
                last.store(result, place);
            }
        }
    }
}

/// See PanelKernel::update_double.
template <class T, class Tile>
void update(Size rows, double alpha, PanelRows<const double> x, const double* b, Size ldb, double beta, PanelRows<T> y,
            bool stream) {
    constexpr int L = Tile::L;
    static constexpr auto tiles = tile_table<Tile>(
        []<int MR, int V>() { return static_cast<decltype(&update_tile<T, L, MR, V>)>(update_tile<T, L, MR, V>); });
    const auto folded = [&]<int k>() { folded_update<T, L, k>(rows, alpha, x.data, b, ldb, beta, y.data, stream); };
    if (x.n_cols == y.n_cols && x.ld == y.ld && fold<L>(x.n_cols, x.ld, folded)) return;
    for (Size r = 0; r < rows; r += Tile::rows) {
        const auto height = static_cast<std::size_t>(std::min<Size>(Tile::rows, rows - r));
        for_column_tiles<Tile>(0, y.n_cols, [&](Index j, Index width) {
            const Index lanes = std::min<Index>(L, y.n_cols - j - (width - 1) * L);
            tiles[height - 1][static_cast<std::size_t>(width - 1)](x.n_cols, alpha, x.data + r * x.ld, x.ld, b + j, ldb,
                                                                   beta, y.data + r * y.ld + j, y.ld,
                                                                   Lanes<T, L>(lanes), stream && lanes == L);
        });
    }
}

/// See PanelKernel::widen. What is read but once is fetched well ahead.
template <int L>
void widen(const float* from, Size n, double* to) {
    Size i = 0;
    for (; i + 16 <= n; i += 16) {
        __builtin_prefetch(from + i + 512);
#pragma GCC unroll 8
        for (int v = 0; v < 16; v += L) store(widened<float, L>(load<Simd<float, L>>(from + i + v)), to + i + v);
    }
    for (; i < n; ++i) to[i] = from[i];
}

template <int L, int rows, int width>
constexpr PanelKernel panel_kernel(std::string_view instructions) {
    using Tile = PanelTile<L, rows, width>;
    return {instructions, widen<L>, add_gram<Tile>, update<double, Tile>, update<float, Tile>};
}

}  // namespace

}  // namespace stiefel::packed
