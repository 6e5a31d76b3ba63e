#include "stiefel/cli/terminal/bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

std::string bar_text(double fraction, int cells) {
    const int full = std::clamp(static_cast<int>(std::floor(fraction * cells)), 0, cells);
    return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(full), '#'),
                       std::string(static_cast<std::size_t>(cells - full), '-'));
}

}  // namespace stiefel::cli
