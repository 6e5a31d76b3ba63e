#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/dense/host/register_tile.hpp"

#include <algorithm>
#include <utility>

namespace stiefel {

/// Row i of A into column i of B: every write lands in another cache line.
template <class T>
void transpose_row(const HostMatrix<const T>& a, const HostMatrix<T>& b, Size i) {
    for (Size j = 0; j < a.n_cols; ++j) b.data[j * b.ld + i] = a.data[i * a.ld + j];
}

/// Edge of the blocks of `blocked`: two of doubles fit L1 together, and each of their rows is whole cache lines.
inline constexpr Size transpose_block = 32;

/// A block of rows of A, block after block, so that the lines of B that a block writes are still in L1 when its next
/// row comes.
template <class T>
void transpose_block_row(const HostMatrix<const T>& a, const HostMatrix<T>& b, Size number) {
    const Size i_begin = number * transpose_block;
    const Size i_end = std::min<Size>(i_begin + transpose_block, a.n_rows);
    for (Size j_begin = 0; j_begin < a.n_cols; j_begin += transpose_block) {
        const Size j_end = std::min<Size>(j_begin + transpose_block, a.n_cols);
        for (Size i = i_begin; i < i_end; ++i) {
            for (Size j = j_begin; j < j_end; ++j) b.data[j * b.ld + i] = a.data[i * a.ld + j];
        }
    }
}

/// The same in tiles of one cache line squared, transposed in registers. Where the lines of B are aligned and too many
/// to be met again in cache they are written around it, which saves reading them first.
template <class T>
void transpose_tile_row(const RegisterTile<T>& tile, const HostMatrix<const T>& a, const HostMatrix<T>& b, bool stream,
                        Size number) {
    const Size i_begin = number * tile.edge;
    const Size i_end = std::min<Size>(i_begin + tile.edge, a.n_rows);
    Size j = 0;
    if (i_end - i_begin == tile.edge) {
        for (; j + tile.edge <= a.n_cols; j += tile.edge) {
            tile.transpose(a.data + i_begin * a.ld + j, a.ld, b.data + j * b.ld + i_begin, b.ld, stream);
        }
    }
    for (; j < a.n_cols; ++j) {
        for (Size i = i_begin; i < i_end; ++i) b.data[j * b.ld + i] = a.data[i * a.ld + j];
    }
}

/// Block row `number` of a square matrix, from the diagonal to the right, changes places with its mirror image.
template <class T>
void transpose_in_place_block_row(const HostMatrix<T>& a, Size number) {
    const Size i_begin = number * transpose_block;
    const Size i_end = std::min<Size>(i_begin + transpose_block, a.n_rows);
    for (Size j_begin = i_begin; j_begin < a.n_cols; j_begin += transpose_block) {
        const Size j_end = std::min<Size>(j_begin + transpose_block, a.n_cols);
        for (Size i = i_begin; i < i_end; ++i) {
            for (Size j = std::max(j_begin, i + 1); j < j_end; ++j) {
                std::swap(a.data[i * a.ld + j], a.data[j * a.ld + i]);
            }
        }
    }
}

}  // namespace stiefel
