#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

/// stiefel-bench spmm [--columns K] [--threads N] [PROBLEM SIZE ...]
int run_spmm(const std::vector<std::string>& arguments);

/// All rungs of SpMM on the host, one a line.
void list_spmm_kernels();

}  // namespace stiefel::bench
