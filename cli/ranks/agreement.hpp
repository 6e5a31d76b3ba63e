#pragma once

#include "stiefel/world/ranks.hpp"

namespace stiefel::cli {

/// Makes sure that all ranks are the same program, asked for the same: throws RankFault, in all of them, that says
/// which differ and in what. All call it at once, before anything else.
void check_all_alike(Ranks& ranks, int argc, char** argv);

}  // namespace stiefel::cli
