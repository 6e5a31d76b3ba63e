#pragma once

#include "stiefel/core/cuda/check.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace stiefel {

/// Memory of the host that kernels read and write too; zeros at first.
template <class T>
class MappedMemory {
public:
    /// The device is current.
    explicit MappedMemory(std::size_t n) : bytes_(n * sizeof(T)) {
        void* memory = nullptr;
        check_cuda(cudaHostAlloc(&memory, bytes_, cudaHostAllocMapped), "allocating memory shared with the device");
        on_host_.reset(static_cast<T*>(memory));
        void* mapped = nullptr;
        check_cuda(cudaHostGetDevicePointer(&mapped, memory, 0), "mapping memory for the device");
        on_device_ = static_cast<T*>(mapped);
        clear();
    }

    T* on_host() const { return on_host_.get(); }
    T* on_device() const { return on_device_; }
    void clear() { std::fill_n(on_host_.get(), bytes_ / sizeof(T), T{}); }

private:
    struct Free {
        void operator()(T* memory) const { static_cast<void>(cudaFreeHost(memory)); }
    };

    std::size_t bytes_;
    std::unique_ptr<T, Free> on_host_;
    T* on_device_ = nullptr;
};

}  // namespace stiefel
