#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

int run_panel(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
