#pragma once

#include <string>

namespace stiefel::cli {

/// "[####------]": so many cells, the fraction of them full.
std::string bar_text(double fraction, int cells);

}  // namespace stiefel::cli
