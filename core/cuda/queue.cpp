#include "stiefel/core/cuda/queue.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace stiefel {

namespace {

cudaMemPool_t make_pool(int device) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t made = nullptr;
    check_cuda(cudaMemPoolCreate(&made, &properties), "creating a memory pool");
    // Freed memory stays with the pool: the driver is asked once, not at every vector.
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    check_cuda(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep), "setting up the memory pool");
    return made;
}

}  // namespace

CudaQueue::CudaQueue(int device, cudaStream_t lent)
    : device_(device),
      is_lent_(lent != nullptr),
      stream_(lent),
      small_([this](Size bytes) { return ask_pool(bytes); }) {
    const char* const wished = std::getenv("STIEFEL_SMALL_BLOCKS");
    has_small_ = wished == nullptr || std::string_view(wished) != "0";
    pool_ = make_pool(device);
    if (is_lent_) return;
    const cudaError_t status = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (status != cudaSuccess) static_cast<void>(cudaMemPoolDestroy(pool_));
    check_cuda(status, "creating a stream");
}

// Work in flight is awaited, so that the driver has nothing left to do with memory whose pool is gone: one of its
// threads was seen to crash right after (580.159, several processes that start at once). Not that of a lent stream
// which is being captured, as waiting would end the capture; slabs stay then. A failure here means that the context is
// gone, and all that it held.
CudaQueue::~CudaQueue() {
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    static_cast<void>(cudaStreamIsCapturing(stream_, &capturing));
    if (capturing == cudaStreamCaptureStatusNone) {
        static_cast<void>(cudaStreamSynchronize(stream_));
        for (void* const slab : small_.slabs()) give_back(slab);
    }
    if (!is_lent_) static_cast<void>(cudaStreamDestroy(stream_));
    static_cast<void>(cudaMemPoolDestroy(pool_));
    static_cast<void>(cudaGetLastError());
}

std::shared_ptr<void> CudaQueue::allocate(const std::shared_ptr<const CudaQueue>& queue, Size bytes) {
    if (queue->has_small_ && bytes <= SmallBlocks::most_bytes) {
        const std::size_t size_class = SmallBlocks::size_class(bytes);
        if (void* const block = queue->small_.take(size_class)) {
            return {block, [queue, size_class](void* p) { queue->small_.give(p, size_class); }};
        }
    }
    void* const pointer = queue->ask_pool(bytes);
    if (pointer == nullptr) return {};
    return {pointer, [queue](void* p) { queue->give_back(p); }};
}

void* CudaQueue::ask_pool(Size bytes) const {
    void* pointer = nullptr;
    const cudaError_t status = cudaMallocFromPoolAsync(&pointer, static_cast<std::size_t>(bytes), pool_, stream_);
    if (status == cudaErrorMemoryAllocation) {
        static_cast<void>(cudaGetLastError());
        return nullptr;
    }
    check_cuda(status, "allocating device memory");
    return pointer;
}

// When the stream's work so far is done. The thread's current device stays.
void CudaQueue::give_back(void* pointer) const noexcept {
    int current = device_;
    static_cast<void>(cudaGetDevice(&current));
    if (current != device_) static_cast<void>(cudaSetDevice(device_));
    static_cast<void>(cudaFreeAsync(pointer, stream_));
    if (current != device_) static_cast<void>(cudaSetDevice(current));
    static_cast<void>(cudaGetLastError());
}

}  // namespace stiefel
