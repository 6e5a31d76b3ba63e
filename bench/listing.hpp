#pragma once

#include <fmt/format.h>

#include <string_view>

namespace stiefel::bench {

/// A rung of a ladder as a line of --list.
template <class Kernel>
void print_rung(std::string_view backend, const Kernel& kernel) {
    fmt::print("  {:<8} {:<8} {:<16} {}{}\n", kernel.format, backend, kernel.name, kernel.description,
               kernel.source.empty() ? "" : fmt::format(" ({})", kernel.source));
}

/// All rungs on CUDA; nothing in a build without it.
void list_cuda_kernels();

}  // namespace stiefel::bench
