#pragma once

#include "stiefel/cli/info/info_options.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/world/ranks.hpp"

namespace stiefel::cli {

/// Does what `stiefel info` does, on several ranks at once, each of which calls it: the first looks at the matrix as
/// one process does, so it must fit there, and all find out who would hold what and what a product would send. The
/// report is the first's. Throws as solve_on_ranks.
InfoReport describe_on_ranks(Ranks& ranks, const InfoOptions& options, StatusLine& status);

}  // namespace stiefel::cli
