#pragma once

#include <string_view>
#include <vector>

namespace stiefel::cuda {

/// Appends the names in the CUDA ladders of SpMV, format after format; needs no device.
void append_spmv_kernel_names(std::vector<std::string_view>& names);

}  // namespace stiefel::cuda
