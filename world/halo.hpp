#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/core/matrix_view.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace stiefel {

/// The elements of a vector that lie with other ranks and are needed here, the ghosts, and those of this rank that
/// others need. Found once; then exchange() brings ghosts as often as is asked for, while the rank goes on with what it
/// has.
class Halo {
public:
    /// ghosts: their numbers over all ranks, ascending, none of this rank. All ranks make theirs at once.
    Halo(Ranks& ranks, const RowBlocks& blocks, const std::vector<Size>& ghosts);

    Index n_ghosts() const { return n_ghosts_; }
    Index n_sent() const { return static_cast<Index>(sent_.size()); }
    /// Ranks that this one sends to.
    int n_neighbours() const { return static_cast<int>(to_.size()); }

    /// Rows of one neighbour: from `first` on, among those sent or among the ghosts.
    struct Share {
        int rank;
        Size first;
        Size n;
    };
    const std::vector<Share>& to() const { return to_; }
    const std::vector<Share>& from() const { return from_; }
    /// The numbers here of the rows that are sent, by neighbour.
    const HostVector<Index>& sent() const { return sent_; }

    /// Begins to bring the ghosts' rows of a panel x, of which others hold theirs, to `ghosts`, whose rows lie one
    /// after the other: n_ghosts() x x.n_cols. Both stay as they are until end(), which comes at the latest when this
    /// object goes: what throws meanwhile must not free memory that others write to.
    template <class B, class T>
    void begin(B& backend, HostMatrix<const T> x, T* ghosts) {
        const Size row = x.n_cols * static_cast<Size>(sizeof(T));
        if (static_cast<Size>(room_.size()) < n_sent() * row) room_ = HostVector<std::byte>(n_sent() * row);
        T* const packed = reinterpret_cast<T*>(room_.data());
        pack(backend, x, packed);
        begin(reinterpret_cast<std::byte*>(packed), reinterpret_cast<std::byte*>(ghosts), row);
    }
    void end() { open_.reset(); }

private:
    template <class T>
    void pack(Serial&, HostMatrix<const T> x, T* packed) const {
        pack_rows(x, packed, 0, n_sent());
    }
    template <class T>
    void pack(OpenMP& backend, HostMatrix<const T> x, T* packed) const {
        const Size bytes = 2 * n_sent() * x.n_cols * static_cast<Size>(sizeof(T));
        for_each_block(backend, n_sent(), bytes, [&](Size begin, Size end) { pack_rows(x, packed, begin, end); });
    }
    template <class T>
    void pack_rows(HostMatrix<const T> x, T* packed, Size begin, Size end) const {
        for (Size i = begin; i < end; ++i) {
            for (Index j = 0; j < x.n_cols; ++j) packed[i * x.n_cols + j] = x.data[sent_[i] * x.ld + j];
        }
    }

    void begin(std::byte* packed, std::byte* ghosts, Size row_bytes);

    struct End {
        void operator()(Ranks* ranks) const { ranks->end(); }
    };

    Ranks* ranks_;
    Index n_ghosts_;
    HostVector<Index> sent_;
    std::vector<Share> to_, from_;
    HostVector<std::byte> room_;
    std::unique_ptr<Ranks, End> open_;  // of what was begun
};

}  // namespace stiefel
