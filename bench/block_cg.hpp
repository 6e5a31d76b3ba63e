#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

int run_block_cg(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
