#pragma once

#include "stiefel/core/cuda/check.hpp"

namespace stiefel {

/// Makes a device the thread's current one.
inline void make_device_current(int device) {
    int current = -1;
    if (cudaGetDevice(&current) == cudaSuccess && current == device) return;
    check_cuda(cudaSetDevice(device), "selecting the device");
}

/// A stream and the pool whose memory is allocated in its order. Whatever was made with a backend keeps it.
class CudaQueue {
public:
    /// Makes a stream unless one is lent. The device is current.
    CudaQueue(int device, cudaStream_t lent);
    ~CudaQueue();
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    int device() const { return device_; }
    cudaStream_t stream() const { return stream_; }
    cudaMemPool_t pool() const { return pool_; }

    /// Gives memory of the pool back when the stream's work so far is done. The thread's current device stays.
    void free(void* pointer) const noexcept;

private:
    int device_;
    bool is_lent_;
    cudaStream_t stream_;
    cudaMemPool_t pool_ = nullptr;
};

}  // namespace stiefel
