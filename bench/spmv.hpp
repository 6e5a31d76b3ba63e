#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

int run_spmv(const std::vector<std::string>& arguments);
int run_convert(const std::vector<std::string>& arguments);

/// Prints every rung of the SpMV ladders on the host.
int list_kernels(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
