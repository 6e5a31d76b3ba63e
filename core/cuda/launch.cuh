#pragma once

#include "stiefel/core/cuda/check.hpp"

#include <utility>

namespace stiefel {

/// First in every kernel that launch() starts. The next kernel may now be brought to the multiprocessors while this one
/// still runs; nothing of memory is touched before the kernel ahead of this one has ended.
__device__ inline void begin_kernel() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Starts a kernel on the backend's stream, in such a way that the time it takes to start overlaps with the end of the
/// kernel ahead (programmatic dependent launch, from compute capability 9.0).
template <class... Parameters, class... Arguments>
void launch_shared(const Cuda& backend, void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
                   const char* doing, Arguments&&... arguments) {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    config.stream = backend.stream();
    config.attrs = &overlap;
    config.numAttrs = backend.device().major >= 9 ? 1 : 0;
    check_cuda(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), doing);
}

template <class... Parameters, class... Arguments>
void launch(const Cuda& backend, void (*kernel)(Parameters...), int blocks, int threads, const char* doing,
            Arguments&&... arguments) {
    launch_shared(backend, kernel, blocks, threads, 0, doing, std::forward<Arguments>(arguments)...);
}

}  // namespace stiefel
