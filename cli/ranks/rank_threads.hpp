#pragma once

#include "stiefel/cli/backend_options.hpp"
#include "stiefel/world/ranks.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// The threads of this rank: as asked for by --threads or OMP_NUM_THREADS; else its part of the processors that the
/// launcher lets it use. A processor that several ranks of a host may use counts as one part of so many, and so does a
/// CPU quota. At least 1; 1 with the serial backend. All ranks call it at once.
int threads_of_rank(Ranks& ranks, const BackendWords& words);

/// The names of the hosts, by rank. All ranks call it at once.
std::vector<std::string> hosts_of(Ranks& ranks);

}  // namespace stiefel::cli
