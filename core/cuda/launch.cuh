#pragma once

#include "stiefel/core/cuda/check.hpp"

#include <type_traits>
#include <utility>

namespace stiefel {

/// The next kernel may from now on be brought to the multiprocessors while this one still runs.
__device__ inline void announce_kernel() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until the kernel ahead of this one has ended, and those before that one. Every thread must come here, and
/// touches before it nothing but vectors that are settled (see Vector), unless the kernel was started with
/// `waits_for_all`.
__device__ inline void await_kernel_ahead() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// First in every kernel that launch() starts and that does not call both of the above itself.
__device__ inline void begin_kernel() {
    announce_kernel();
    await_kernel_ahead();
}

/// How a kernel is started.
struct LaunchShape {
    int blocks;
    int threads;                    ///< of a block
    int shared_bytes = 0;           ///< of dynamic shared memory
    bool waits_for_all = false;     ///< starts when all kernels ahead have ended, and sees what they wrote
    CUstream_st* beside = nullptr;  ///< a stream beside the backend's (SideBranch)
    int cluster = 1;  ///< blocks of a cluster (see cluster.cuh), from compute capability 9.0; divides `blocks`
};

/// Starts a kernel on the backend's stream, in such a way that the time it takes to start overlaps with the end of the
/// kernel ahead (programmatic dependent launch, from compute capability 9.0).
template <class... Parameters, class... Arguments>
void launch_as(const Cuda& backend, void (*kernel)(Parameters...), const LaunchShape& shape, const char* doing,
               Arguments&&... arguments) {
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = shape.waits_for_all ? 0 : 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = shape.beside != nullptr ? shape.beside : backend.stream();
    config.attrs = attributes;
    if (backend.device().major >= 9) config.numAttrs = shape.cluster > 1 ? 2 : 1;
    check_cuda(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), doing);
}

template <class... Parameters, class... Arguments>
void launch_shared(const Cuda& backend, void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
                   const char* doing, Arguments&&... arguments) {
    launch_as(backend, kernel, {.blocks = blocks, .threads = threads, .shared_bytes = shared_bytes}, doing,
              std::forward<Arguments>(arguments)...);
}

/// Lets a kernel ask for more than the 48 KiB of shared memory that any may have on the backend's device.
template <class... Parameters>
void allow_shared(const Cuda& backend, void (*kernel)(Parameters...), int shared_bytes, const char* doing) {
    backend.make_current();
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), doing);
}

/// Blocks of a kernel that run at the same time on a multiprocessor of the backend's device.
template <class... Parameters>
int blocks_at_once(const Cuda& backend, void (*kernel)(Parameters...), int threads, int shared_bytes,
                   const char* doing) {
    backend.make_current();
    int blocks = 0;
    check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, static_cast<std::size_t>(shared_bytes)),
        doing);
    return blocks;
}

/// Starts a kernel all of whose blocks run at the same time, so that they may wait for each other.
template <class... Parameters>
void launch_together(const Cuda& backend, void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
                     const char* doing, std::type_identity_t<Parameters>... arguments) {
    void* pointers[] = {&arguments...};
    // As an address: the overload for functions refuses those of const type before CUDA 13.
    check_cuda(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                                           dim3(static_cast<unsigned>(threads)), pointers,
                                           static_cast<std::size_t>(shared_bytes), backend.stream()),
               doing);
}

template <class... Parameters, class... Arguments>
void launch(const Cuda& backend, void (*kernel)(Parameters...), int blocks, int threads, const char* doing,
            Arguments&&... arguments) {
    launch_as(backend, kernel, {.blocks = blocks, .threads = threads}, doing, std::forward<Arguments>(arguments)...);
}

}  // namespace stiefel
