#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/products/row_store.hpp"

#include <utility>
#include <vector>

namespace stiefel {

/// The rows of a sparse matrix where the threads that found them have put them: for what is only read row by row, and
/// need not be copied together.
template <class T>
class FoundRows {
public:
    FoundRows() = default;

    /// lengths: of the rows that the stores hold together.
    FoundRows(OpenMP& backend, std::vector<RowStore<T>> stores, const HostVector<Size>& lengths)
        : stores_(std::move(stores)), pieces_(pieces_of(stores_)), rows_(lengths.size()) {
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic) if (pieces_.size() > 1)
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            Size place = 0;
            for (Index i = pieces_[p].first_row; i < pieces_[p].end_row; ++i) {
                rows_[i] = {place, static_cast<Index>(lengths[i]), static_cast<Index>(p)};
                place += lengths[i];
            }
        }
    }

    Index n_rows() const {
        return static_cast<Index>(rows_.size());
    }
    Size nnz() const {
        Size sum = 0;
        for (const auto& piece : pieces_) sum += piece.size;
        return sum;
    }

    /// What lies behind a row may be read, but need not have been written.
    [[gnu::always_inline]] Entries<T> row(Index i) const {
        const Row& row = rows_[i];
        const auto& piece = pieces_[static_cast<std::size_t>(row.piece)];
        return {piece.cols + row.place, piece.values + row.place, row.n, row.n + RowStore<T>::slack};
    }

private:
    struct Row {
        Size place;  ///< in its piece
        Index n;
        Index piece;
    };

    std::vector<RowStore<T>> stores_;  // own the entries
    std::vector<typename RowStore<T>::Piece> pieces_;
    HostVector<Row> rows_;
};

}  // namespace stiefel
