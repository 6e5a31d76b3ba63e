#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/products/row_accumulator.hpp"

#include <utility>
#include <vector>

namespace stiefel {

/// The rows of a sparse matrix where the threads that found them have put them: for what is only multiplied on, and
/// need not be copied together.
template <class T>
class FoundRows {
public:
    /// lengths: of the rows that the accumulators hold together.
    FoundRows(OpenMP& backend, std::vector<RowAccumulator<T>> accumulators, const HostVector<Size>& lengths)
        : accumulators_(std::move(accumulators)), rows_(lengths.size()) {
        const auto pieces = pieces_of(accumulators_);
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic) if (pieces.size() > 1)
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            Size place = 0;
            for (Index i = pieces[p].first_row; i < pieces[p].end_row; ++i) {
                const Size n = lengths[i];
                rows_[i] = {pieces[p].cols + place, pieces[p].values + place, n, n + RowStore<T>::slack};
                place += n;
            }
        }
    }

    const Entries<T>& row(Index i) const {
        return rows_[i];
    }

private:
    std::vector<RowAccumulator<T>> accumulators_;  // own the entries
    HostVector<Entries<T>> rows_;
};

}  // namespace stiefel
