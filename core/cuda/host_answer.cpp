#include "stiefel/core/cuda/host_answer.hpp"

namespace stiefel {

HostAnswer::HostAnswer() {
    void* memory = nullptr;
    check_cuda(cudaHostAlloc(&memory, sizeof(double), cudaHostAllocMapped), "allocating memory shared with the device");
    on_host_ = static_cast<double*>(memory);
    void* mapped = nullptr;
    check_cuda(cudaHostGetDevicePointer(&mapped, memory, 0), "mapping memory for the device");
    on_device_ = static_cast<double*>(mapped);
}

HostAnswer::~HostAnswer() {
    static_cast<void>(cudaFreeHost(on_host_));
}

double HostAnswer::await(const Cuda& backend) const {
    backend.synchronize();
    return *static_cast<const volatile double*>(on_host_);
}

}  // namespace stiefel
