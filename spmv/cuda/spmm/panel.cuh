#pragma once

#include "stiefel/spmv/cuda/spmm/rows.cuh"

#include <type_traits>

namespace stiefel::cuda {

// What the tuned rungs are made of. A team of `lanes` neighbouring threads takes a row of Y. Each thread keeps the sums
// of `pieces` times `width` columns: in pieces, each of which a team reads from a row of X in vectors of up to 16 bytes
// that lie side by side. Entries are read by all threads of a team alike.
//
// These kernels wait for memory, and every instruction of the inner loop counts as much as its bytes: hence batches of
// entries whose loads are all under way before the first is used, remainders unrolled one by one instead of masked, and
// more than one piece a thread for wide panels.

/// `width` neighbouring elements of a row of a panel, loaded and stored at once.
template <class T, int width>
struct alignas(width * sizeof(T)) Columns {
    T value[width];
};

/// The panels, with the bytes from row to row in 32 bits, so that an address costs one instruction.
template <class T>
struct PanelArguments {
    const T* x;
    T* y;
    unsigned x_step;
    unsigned y_step;
    Index k;
    T alpha;
    T beta;
    bool streams;  ///< the panels are too large for the second-level cache
};

/// The row `row` of a panel whose rows are `step` bytes apart.
template <class T>
__device__ __forceinline__ T* row_at(T* panel, unsigned row, unsigned step) {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(panel) + std::size_t{row} * step);
}

/// How a team shares the columns; `exact` if they are all there are, else the panel is taken in tiles of as many.
template <int lanes_, int width_, int pieces_, bool exact_>
struct PanelShape {
    static constexpr int lanes = lanes_;
    static constexpr int width = width_;
    static constexpr int pieces = pieces_;
    static constexpr bool exact = exact_;
    static constexpr int columns = lanes * width * pieces;
    static_assert(exact || pieces == 1, "a thread is in or out of the last tile as a whole");
};

/// The first columns of a thread's pieces. A quarter of a warp is served at once, from 128 bytes of different banks;
/// where a piece of a row is less than that, teams on different rows take their pieces in different orders, so that
/// rows which lie in the same banks do not wait for each other.
template <class T, class Shape>
struct PieceColumns {
    Index first[Shape::pieces];

    __device__ explicit PieceColumns(bool teams_share_row) {
        constexpr int row_bytes = Shape::columns * static_cast<int>(sizeof(T));
        constexpr int rows_side_by_side = row_bytes < 128 ? 128 / row_bytes : 1;
        constexpr bool piece_fills_banks = row_bytes / Shape::pieces >= 128;
        const int lane = static_cast<int>(threadIdx.x % Shape::lanes);
        const int team = static_cast<int>(threadIdx.x / Shape::lanes);
        const int start = piece_fills_banks || teams_share_row ? 0 : team / rows_side_by_side;
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
            first[q] = ((q + start) % Shape::pieces * Shape::lanes + lane) * Shape::width;
        }
    }
};

/// A thread's part of a row of Y.
template <class T, class Shape>
struct RowSums {
    T value[Shape::pieces][Shape::width] = {};

    using Piece = Columns<T, Shape::width>;
    using Pieces = PieceColumns<T, Shape>;

    /// Adds n entries of the row, `step` apart; x points to the first column of the team.
    template <int n, class Step>
    __device__ __forceinline__ void add_batch(const Index* col_idx, const T* values, Step step, const T* x,
                                              unsigned x_step, const Pieces& pieces) {
        unsigned column[n];
        T entry[n];
#pragma unroll
        for (int u = 0; u < n; ++u) {
            column[u] = static_cast<unsigned>(col_idx[u * step]);
            entry[u] = values[u * step];
        }
        Piece piece[n][Shape::pieces];
#pragma unroll
        for (int u = 0; u < n; ++u) {
#pragma unroll
            for (int q = 0; q < Shape::pieces; ++q) {
                piece[u][q] = *reinterpret_cast<const Piece*>(row_at(x + pieces.first[q], column[u], x_step));
            }
        }
#pragma unroll
        for (int u = 0; u < n; ++u) {
#pragma unroll
            for (int q = 0; q < Shape::pieces; ++q) {
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) value[q][c] += entry[u] * piece[u][q].value[c];
            }
        }
    }

    /// Adds `count` entries, `batch` at a time.
    template <int batch, class Step>
    __device__ __forceinline__ void add(const Index* col_idx, const T* values, Index count, Step step, const T* x,
                                        unsigned x_step, const Pieces& pieces) {
        static_assert(batch == 4 || batch == 8);
        for (; count >= batch; count -= batch) {
            add_batch<batch>(col_idx, values, step, x, x_step, pieces);
            col_idx += batch * step;
            values += batch * step;
        }
        switch (count) {
            case 1:
                return add_batch<1>(col_idx, values, step, x, x_step, pieces);
            case 2:
                return add_batch<2>(col_idx, values, step, x, x_step, pieces);
            case 3:
                return add_batch<3>(col_idx, values, step, x, x_step, pieces);
            default:
                break;
        }
        if constexpr (batch == 8) {
            switch (count) {
                case 4:
                    return add_batch<4>(col_idx, values, step, x, x_step, pieces);
                case 5:
                    return add_batch<5>(col_idx, values, step, x, x_step, pieces);
                case 6:
                    return add_batch<6>(col_idx, values, step, x, x_step, pieces);
                case 7:
                    return add_batch<7>(col_idx, values, step, x, x_step, pieces);
                default:
                    break;
            }
        }
    }

    /// Adds up the sums of the teams among `threads` neighbouring threads; all of them get the result.
    template <int threads>
    __device__ __forceinline__ void add_teams() {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
#pragma unroll
            for (int c = 0; c < Shape::width; ++c) {
#pragma unroll
                for (int step = Shape::lanes; step < threads; step *= 2) {
                    value[q][c] += __shfl_xor_sync(all_lanes, value[q][c], step);
                }
            }
        }
    }

    /// y = alpha sums + beta y; y points to the first column of the team.
    __device__ __forceinline__ void store(T* y, const PanelArguments<T>& s, const Pieces& pieces) const {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
            auto* const place = reinterpret_cast<Piece*>(y + pieces.first[q]);
            Piece result;
            if (s.beta != T{0}) {
                const Piece before = *place;
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) {
                    result.value[c] = s.alpha * value[q][c] + s.beta * before.value[c];
                }
            } else {
#pragma unroll
                for (int c = 0; c < Shape::width; ++c) result.value[c] = s.alpha * value[q][c];
            }
            store_piece(place, result, s.streams);
        }
    }

private:
    /// Y that the cache cannot keep is the first to leave it. That pays for wide rows, of many reads a row of Y.
    __device__ __forceinline__ static void store_piece(Piece* place, const Piece& piece, bool streams) {
        constexpr int wide = 256;
        if constexpr (Shape::columns * sizeof(T) >= wide && sizeof(Piece) == sizeof(int4)) {
            if (streams) return __stcs(reinterpret_cast<int4*>(place), reinterpret_cast<const int4&>(piece));
        }
        *place = piece;
    }
};

/// f(shape) with a team for just k columns where k has a code path of its own: then they are read 16 bytes at a time (8
/// where a row has no more). Two pieces a thread are worth it from four pieces on: fewer threads read the same entries,
/// and a warp has more rows under way. Otherwise returns false, having done nothing.
template <class T, class F>
bool with_exact_shape(Index k, F&& f) {
    constexpr int width = 16 / sizeof(T);
    switch (k) {
        case 2:
            f(PanelShape<1, 2, 1, true>());
            return true;
        case 4:
            f(PanelShape<4 / width, width, 1, true>());
            return true;
        case 8:
            f(PanelShape<2, width, 4 / width, true>());
            return true;
        case 16:
            f(PanelShape<16 / (2 * width), width, 2, true>());
            return true;
        case 32:
            f(PanelShape<32 / (2 * width), width, 2, true>());
            return true;
        case 64:
            f(PanelShape<64 / (2 * width), width, 2, true>());
            return true;
        default:
            return false;
    }
}

/// f(shape) for any other k: tiles of columns, the last of them not full.
template <int width, class F>
void with_tiles(Index k, F&& f) {
    if (k <= 4 * width) return f(PanelShape<4, width, 1, false>());
    f(PanelShape<16, width, 1, false>());
}

/// Whether rows of both panels can be read and written `width` elements at a time.
template <class T>
bool fits_width(const SpmmArguments<T>& s, int width) {
    const auto aligned = [&](const void* p) {
        return reinterpret_cast<std::uintptr_t>(p) % (static_cast<std::size_t>(width) * sizeof(T)) == 0;
    };
    return s.k % width == 0 && s.ldx % width == 0 && s.ldy % width == 0 && aligned(s.x) && aligned(s.y);
}

/// f(shape, arguments) for n_rows rows of Y, any k and alignment. Returns false, having done nothing, for rows of 4 GiB
/// and more from one to the next.
template <class T, class F>
bool with_panel(const Cuda& backend, Index n_rows, const SpmmArguments<T>& s, F&& f) {
    constexpr Size bytes = sizeof(T);
    constexpr Size most = std::numeric_limits<unsigned>::max();
    if (s.ldx * bytes > most || s.ldy * bytes > most) return false;
    const PanelArguments<T> panel{.x = s.x,
                                  .y = s.y,
                                  .x_step = static_cast<unsigned>(s.ldx * bytes),
                                  .y_step = static_cast<unsigned>(s.ldy * bytes),
                                  .k = s.k,
                                  .alpha = s.alpha,
                                  .beta = s.beta,
                                  .streams = Size{n_rows} * s.k * bytes > backend.device().l2_bytes};
    constexpr int width = 16 / sizeof(T);
    if (fits_width(s, std::min<int>(width, s.k)) && with_exact_shape<T>(s.k, [&](auto shape) { f(shape, panel); })) {
        return true;
    }
    if (fits_width(s, width)) {
        with_tiles<width>(s.k, [&](auto shape) { f(shape, panel); });
    } else {
        with_tiles<1>(s.k, [&](auto shape) { f(shape, panel); });
    }
    return true;
}

}  // namespace stiefel::cuda
