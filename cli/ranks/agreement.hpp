#pragma once

#include "stiefel/world/ranks.hpp"

#include <string>

namespace stiefel::cli {

/// Version, commit and compiler of this program.
std::string this_program();

/// Makes sure that all ranks are the same program, asked for the same: throws RankFault, in all of them, that says
/// which differ and in what. All call it at once, before anything else.
void check_all_alike(Ranks& ranks, const std::string& program, int argc, const char* const* argv);

}  // namespace stiefel::cli
