#pragma once

#include "stiefel/core/memory.hpp"

#include <algorithm>
#include <vector>

namespace stiefel {

/// Some entries of a matrix, one behind the other, and how many may be read from the first on without leaving it.
template <class T>
struct Entries {
    const Index* cols;
    const T* values;
    Size n;
    Size readable;
};

/// Rows of a sparse matrix in the order in which a thread finds them, one behind the other in blocks that never move.
/// Blocks grow from small ones to some of many huge pages.
template <class T>
class RowStore {
public:
    /// So many entries may be read behind each row, whatever they are.
    static constexpr Size slack = 8;

    /// Room for the row at hand, and what follows.
    struct Place {
        Index* cols = nullptr;
        T* values = nullptr;
        Size room = 0;
    };

    /// Consecutive rows that lie behind each other.
    struct Piece {
        Index first_row;
        Index end_row;
        const Index* cols;
        const T* values;
        Size size;
    };

    /// A place for `more` entries than the `length` that a row has, which move there.
    [[gnu::noinline]] Place grown(Place full, Size length, Size more) {
        constexpr Size least = 1 << 13, most = (1 << 20) - slack;  // with it a whole number of huge pages
        const Size last = blocks_.empty() ? least / 8 : blocks_.back().cols.size();
        const Size room = std::max(std::clamp(8 * last, least, most), 2 * (length + more));
        Block& block = blocks_.emplace_back(Block{HostVector<Index>(room + slack), HostVector<T>(room + slack)});
        std::copy_n(full.cols, length, block.cols.data());
        std::copy_n(full.values, length, block.values.data());
        return {block.cols.data(), block.values.data(), room};
    }

    /// Row i lies at this place.
    void keep(Index i, const Place& place, Size length) {
        if (pieces_.empty() || pieces_.back().end_row != i || pieces_.back().cols + pieces_.back().size != place.cols) {
            pieces_.push_back({i, i, place.cols, place.values, 0});
        }
        ++pieces_.back().end_row;
        pieces_.back().size += length;
    }

    const std::vector<Piece>& pieces() const { return pieces_; }

private:
    struct Block {
        HostVector<Index> cols;
        HostVector<T> values;
    };
    std::vector<Block> blocks_;
    std::vector<Piece> pieces_;
};

/// What all of them hold.
template <class T>
std::vector<typename RowStore<T>::Piece> pieces_of(const std::vector<RowStore<T>>& stores) {
    std::vector<typename RowStore<T>::Piece> pieces;
    for (const auto& store : stores) pieces.insert(pieces.end(), store.pieces().begin(), store.pieces().end());
    return pieces;
}

}  // namespace stiefel
