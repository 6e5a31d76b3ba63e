#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/products/row_store.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stiefel {

/// The rows of a sparse matrix where the threads that found them have put them: for what is only read row by row, and
/// need not be copied together.
template <class T>
class FoundRows {
public:
    FoundRows() = default;

    /// lengths: of the rows that the stores hold together, behind a first number that says nothing; where rows lie is
    /// kept in their place, as memory that is touched for the first time takes longer than all that is done with it.
    FoundRows(OpenMP& backend, std::vector<RowStore<T>> stores, HostVector<Size> lengths)
        : stores_(std::move(stores)), pieces_(pieces_of(stores_)), rows_(std::move(lengths)) {
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic) if (pieces_.size() > 1)
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            Size place = 0;
            for (Size i = pieces_[p].first_row; i < pieces_[p].end_row; ++i) {
                const Size length = std::exchange(rows_[i + 1], place << piece_bits | static_cast<Size>(p));
                place += length;
            }
        }
    }

    Index n_rows() const {
        return static_cast<Index>(std::max<Size>(1, rows_.size()) - 1);
    }
    Size nnz() const {
        Size sum = 0;
        for (const auto& piece : pieces_) sum += piece.size;
        return sum;
    }

    /// What lies behind a row may be read, but need not have been written.
    [[gnu::always_inline]] Entries<T> row(Index i) const {
        const Size place = rows_[Size{i} + 1] >> piece_bits;
        const auto& piece = pieces_[static_cast<std::size_t>(rows_[Size{i} + 1] & ((Size{1} << piece_bits) - 1))];
        const Size end = i + 1 < piece.end_row ? rows_[Size{i} + 2] >> piece_bits : piece.size;
        return {piece.cols + place, piece.values + place, end - place, end - place + RowStore<T>::slack};
    }

private:
    static constexpr int piece_bits = 24;  // they begin with chunks of thousands of rows, and with blocks

    std::vector<RowStore<T>> stores_;  // own the entries
    std::vector<typename RowStore<T>::Piece> pieces_;
    HostVector<Size> rows_;  ///< behind a first number: the place of a row in its piece, and the piece
};

}  // namespace stiefel
