#pragma once

#include "stiefel/dense/gemm_kernels.hpp"

#include <algorithm>

namespace stiefel {

/// Three tiles of doubles fit the L2 of any processor, one row of each L1.
inline constexpr Index default_gemm_tile = 64;

/// C cut into square tiles, numbered row after row. A tile is summed in a buffer of its own while tiles of A and B pass
/// by, so that each element loaded from memory serves a whole tile edge.
template <class T>
class GemmTiles {
public:
    /// Throws InvalidArgument unless 1 <= tile <= 4096.
    GemmTiles(const GemmArguments<T>& g, Index tile) : g_(g), tile_(tile) {
        require(tile >= 1 && tile <= 4096, "gemm: tile must lie between 1 and 4096");
        tiles_per_row_ = (Size{g.n} + tile - 1) / tile;
    }

    Size size() const { return (Size{g_.m} + tile_ - 1) / tile_ * tiles_per_row_; }
    Size elements() const { return Size{tile_} * tile_; }

    /// `sums` has elements() elements.
    void multiply(Size number, T* sums) const {
        const Size i_begin = number / tiles_per_row_ * tile_;
        const Size j_begin = number % tiles_per_row_ * tile_;
        const Size rows = std::min<Size>(tile_, g_.m - i_begin);
        const Size cols = std::min<Size>(tile_, g_.n - j_begin);
        std::fill(sums, sums + rows * cols, T{0});
        for (Size p = 0; p < g_.k; p += tile_) {
            const Size p_end = std::min<Size>(p + tile_, g_.k);
            for (Size i = 0; i < rows; ++i) add_row(i_begin + i, j_begin, cols, p, p_end, sums + i * cols);
        }
        for (Size i = 0; i < rows; ++i) {
            for (Size j = 0; j < cols; ++j) g_.store(i_begin + i, j_begin + j, sums[i * cols + j]);
        }
    }

private:
    void add_row(Size i, Size j_begin, Size cols, Size p_begin, Size p_end, T* sums) const {
        for (Size p = p_begin; p < p_end; ++p) {
            const T a = g_.a(i, p);
            const T* const b = &g_.b(p, j_begin);
            if (g_.b.col_stride == 1) {
                for (Size j = 0; j < cols; ++j) sums[j] += a * b[j];
            } else {
                for (Size j = 0; j < cols; ++j) sums[j] += a * b[j * g_.b.col_stride];
            }
        }
    }

    GemmArguments<T> g_;
    Index tile_;
    Size tiles_per_row_;
};

}  // namespace stiefel
