#pragma once

#include "stiefel/dense/check_matrix.hpp"
#include "stiefel/dense/host/transpose_rows.hpp"
#include "stiefel/dense/transpose_kernels.hpp"

#include <cstdint>

namespace stiefel {

/// Whether B is worth writing around the caches: its rows begin on cache lines and it is too large to stay.
template <class T>
bool streams_well(const HostMatrix<T>& b) {
    constexpr Size line = 64 / static_cast<Size>(sizeof(T));
    constexpr Size large = Size{4} << 20;
    return reinterpret_cast<std::uintptr_t>(b.data) % 64 == 0 && b.ld % line == 0 &&
           Size{b.n_rows} * b.n_cols * static_cast<Size>(sizeof(T)) > large;
}

inline Size n_block_rows(Size n, Size block) {
    return (n + block - 1) / block;
}

/// The rungs' text, given how a backend runs  f(0) ... f(n - 1).
template <class T, class Loop>
void transpose_naive(const HostMatrix<const T>& a, const HostMatrix<T>& b, Loop&& loop) {
    loop(a.n_rows, [&](Size i) { transpose_row(a, b, i); });
}

template <class T, class Loop>
void transpose_blocked(const HostMatrix<const T>& a, const HostMatrix<T>& b, Loop&& loop) {
    loop(n_block_rows(a.n_rows, transpose_block), [&](Size number) { transpose_block_row(a, b, number); });
}

template <class T, class Loop>
void transpose_registers(const HostMatrix<const T>& a, const HostMatrix<T>& b, Loop&& loop) {
    const RegisterTile<T>& tile = register_tile<T>();
    const bool stream = streams_well(b);
    loop(n_block_rows(a.n_rows, tile.edge), [&](Size number) {
        transpose_tile_row(tile, a, b, stream, number);
        if (stream) stream_fence();
    });
}

template <class T, class Loop>
void transpose_square_in_place(const HostMatrix<T>& a, Loop&& loop) {
    check_matrix("transpose_in_place", "A", shape_of(a));
    check_equal("transpose_in_place", "A must be square", "rows", a.n_rows, "columns", a.n_cols);
    loop(n_block_rows(a.n_rows, transpose_block), [&](Size number) { transpose_in_place_block_row(a, number); });
}

}  // namespace stiefel
