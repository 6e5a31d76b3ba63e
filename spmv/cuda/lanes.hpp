#pragma once

#include "stiefel/spmv/row_statistics.hpp"

#include <type_traits>

namespace stiefel::cuda {

/// Entries of a row that one lane of a subwarp takes before another lane is worth its share of the final sum.
inline constexpr Size entries_per_lane = 4;

/// Calls f with the number of lanes, as a compile-time constant, for rows of nnz / n_rows entries: the power of two
/// from 2 to 32 that leaves a lane about entries_per_lane of them.
template <class F>
void with_lanes(Size nnz, Index n_rows, F&& f) {
    const Size lanes = nnz / (entries_per_lane * (n_rows > 0 ? n_rows : 1));
    if (lanes < 4) return f(std::integral_constant<int, 2>());
    if (lanes < 8) return f(std::integral_constant<int, 4>());
    if (lanes < 16) return f(std::integral_constant<int, 8>());
    if (lanes < 32) return f(std::integral_constant<int, 16>());
    f(std::integral_constant<int, 32>());
}

/// Entries of the longest row that a lane adds up one after the other, which a kernel's cost is told by, where rows
/// have a lane each. So it is in SpMM, where a team takes an entry at a time; of CSR only, long rows are shared out.
inline double of_one_lane(const RowStatistics& rows) {
    return rows.longest;
}

}  // namespace stiefel::cuda
