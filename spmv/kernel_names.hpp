#pragma once

#include <string_view>
#include <vector>

namespace stiefel {

/// The names of the SpMV kernels of every format on every backend that this build has, each once, hosts first. Needs no
/// device.
std::vector<std::string_view> spmv_kernel_names();

}  // namespace stiefel
