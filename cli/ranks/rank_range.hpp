#pragma once

#include "stiefel/cli/ranks/matrix_entries.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

// What lies with several ranks brought into the range of single precision (single_range.hpp): checked, noted and
// rounded as by one process that has all of it. Numbers stay in double until they are computed with, as what is made of
// a matrix beforehand is. All ranks call each of these at once. They throw RankFault, in all of them.

/// Entries of the file `path`; gives the exponent.
int bring_into_single(Ranks&, OpenMP& host, const std::string& path, EntriesOfRank& read);

/// The same of a rank's rows, from row `first` on.
int bring_into_single(Ranks&, OpenMP& host, const std::string& path, Size first, WorldRows<double>& rows,
                      std::vector<std::string>& notes);

/// k columns of vectors, called `name` in messages, beside a matrix of that exponent.
void bring_into_single(Ranks&, int exponent, const std::string& name, Index k, HostVector<double>& columns);

}  // namespace stiefel::cli
