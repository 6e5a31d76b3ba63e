#include "stiefel/core/cuda/host_answer.hpp"

#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/elements.cuh"

#include <cstdint>
#include <cstring>

namespace stiefel {

namespace {

template <class E>
__global__ void write_kernel(Size n, const E* from, E* to) {
    const Size i = thread_number();
    if (i < n) to[i] = from[i];
}

template <class E>
void write(const Cuda& backend, void* to, const void* from, Size bytes) {
    const Size n = bytes / static_cast<Size>(sizeof(E));
    write_kernel<<<element_blocks(n), element_threads, 0, backend.stream()>>>(n, static_cast<const E*>(from),
                                                                              static_cast<E*>(to));
    check_cuda(cudaGetLastError(), "writing to the host's memory");
}

}  // namespace

void write_to_host(const Cuda& backend, void* to, const void* from, Size bytes) {
    const bool of_words = (reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(bytes)) % 4 == 0;
    if (of_words) {
        write<std::uint32_t>(backend, to, from, bytes);
    } else {
        write<unsigned char>(backend, to, from, bytes);
    }
}

void HostAnswer::download(const Cuda& backend, void* to, const void* from, Size bytes) {
    write_to_host(backend, copy_.on_device(), from, bytes);
    backend.synchronize();
    std::memcpy(to, copy_.on_host(), static_cast<std::size_t>(bytes));
}

}  // namespace stiefel
