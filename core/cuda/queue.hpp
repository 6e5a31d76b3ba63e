#pragma once

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/small_blocks.hpp"

#include <memory>

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

    /// Memory of the pool, in the order of the stream, given back when its last owner goes: the stream's work so far
    /// may still use it. The device is current. Small arrays share slabs; an environment with STIEFEL_SMALL_BLOCKS=0,
    /// for tools that look for accesses beyond an array's end, has each by itself. Null where there is no room.
    static std::shared_ptr<void> allocate(const std::shared_ptr<const CudaQueue>& queue, Size bytes);

private:
    void* ask_pool(Size bytes) const;
    void give_back(void* pointer) const noexcept;

    int device_;
    bool is_lent_;
    cudaStream_t stream_;
    cudaMemPool_t pool_ = nullptr;
    mutable SmallBlocks small_;
    bool has_small_ = true;
};

}  // namespace stiefel
