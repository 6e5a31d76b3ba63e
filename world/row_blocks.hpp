#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace stiefel {

/// Which rank holds which rows: rank r those from first(r) up to first(r + 1), which may be none. Rows of all ranks
/// together are counted in 64 bits, those of one in 31.
class RowBlocks {
public:
    /// first: of each rank, and the number of all rows; ascending from 0. Throws InvalidArgument if it is not so, or a
    /// rank would hold more rows than 31 bits can count.
    explicit RowBlocks(std::vector<Size> first) : first_(std::move(first)) {
        require(first_.size() >= 2 && first_.front() == 0, "RowBlocks: the rows of the first rank must begin at 0");
        for (std::size_t r = 1; r < first_.size(); ++r) {
            require(first_[r - 1] <= first_[r], "RowBlocks: the rows of ranks must ascend");
            require(first_[r] - first_[r - 1] <= std::numeric_limits<Index>::max(),
                    "RowBlocks: a rank can hold 2^31 - 1 rows at most");
        }
    }

    /// As many rows for each rank as for the others, to one.
    static RowBlocks even(Size n_rows, int n_ranks) {
        std::vector<Size> first(static_cast<std::size_t>(n_ranks) + 1);
        for (std::size_t r = 0; r < first.size(); ++r) {
            const Size share = n_rows / n_ranks, rest = n_rows % n_ranks, rank = static_cast<Size>(r);
            first[r] = rank * share + std::min(rank, rest);
        }
        return RowBlocks(std::move(first));
    }

    int n_ranks() const { return static_cast<int>(first_.size()) - 1; }
    Size n_rows() const { return first_.back(); }
    Size first(int rank) const { return first_[static_cast<std::size_t>(rank)]; }
    Index n_rows_of(int rank) const { return static_cast<Index>(first(rank + 1) - first(rank)); }

    /// The rank that holds a row.
    int owner(Size row) const {
        return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
    }

private:
    std::vector<Size> first_;
};

}  // namespace stiefel
