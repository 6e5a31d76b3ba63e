#include "bench/command.hpp"
#include "bench/listing.hpp"

// In place of bench/cuda/ where there is no CUDA backend, or neither cuSPARSE nor cuBLAS to compare with.

namespace stiefel::bench {

std::span<const Command> cuda_commands() {
    return {};
}

void list_cuda_kernels() {}

}  // namespace stiefel::bench
