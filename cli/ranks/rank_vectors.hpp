#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/row_blocks.hpp"

#include <string>
#include <string_view>

namespace stiefel::cli {

// Vectors, column after column, between the first rank, which has all of them in the file's order, and those that hold
// their rows, of which `order` says the number of each; none where all are as in the file. All ranks call each of these
// at once.

/// Throws UsageError for a vector of more rows than a file may have, unless there is no file.
void check_fits_file(Size n_rows, std::string_view flag, const std::string& path);

/// To each rank its rows of the k columns that the first rank has.
HostVector<double> handed_out(Ranks& ranks, const RowBlocks& blocks, const HostVector<Size>& order,
                              const HostVector<double>& columns, Index k);

/// The columns of all ranks, in the first; nothing in the others.
template <class T>
HostVector<T> gathered(Ranks& ranks, const RowBlocks& blocks, const HostVector<Size>& order, const HostVector<T>& here,
                       Index k);

}  // namespace stiefel::cli
