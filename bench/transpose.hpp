#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

int run_transpose(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
