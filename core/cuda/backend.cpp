#include "stiefel/core/cuda.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/host_answer.hpp"
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/core/cuda/queue.hpp"
#include "stiefel/core/cuda/staging.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace stiefel {

namespace {

std::string missing_device(int index, int n_visible) {
    if (n_visible == 0) {
        return "no CUDA device can be used: there is none, or no driver for CUDA 13 (580 or newer); "
               "--backend openmp runs on the cores of this machine";
    }
    const char* const shown = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string why = shown == nullptr ? "" : fmt::format(" (CUDA_VISIBLE_DEVICES={})", shown);
    return fmt::format("there is no CUDA device {}: {} visible, numbered from 0{}", index,
                       n_visible == 1 ? "1 is" : fmt::format("{} are", n_visible), why);
}

CudaDevice query_device(int index) {
    const int n = n_cuda_devices();
    if (index < 0 || index >= n) throw DeviceError(missing_device(index, n));
    check_cuda(cudaSetDevice(index), "selecting the device");
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, index), "asking for the device's properties");
    std::array<char, 32> id{};
    check_cuda(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), index), "asking where the device is");
    return {.index = index,
            .name = properties.name,
            .id = id.data(),
            .major = properties.major,
            .minor = properties.minor,
            .multiprocessors = properties.multiProcessorCount,
            .memory_bytes = static_cast<Size>(properties.totalGlobalMem),
            .l2_bytes = properties.l2CacheSize,
            .shared_bytes_per_block = static_cast<Size>(properties.sharedMemPerBlockOptin)};
}

/// The lent stream, if it is one that graphs can be captured from.
cudaStream_t capturable(cudaStream_t lent) {
    require(lent != nullptr && lent != cudaStreamLegacy,
            "Cuda: the default stream cannot be captured in a graph; lend one made by cudaStreamCreate");
    return lent;
}

}  // namespace

CudaError::CudaError(int code, std::string_view doing)
    : DeviceError(fmt::format("CUDA failed while {}: {} ({})", doing,
                              cudaGetErrorString(static_cast<cudaError_t>(code)),
                              cudaGetErrorName(static_cast<cudaError_t>(code)))),
      code_(code) {}

int n_cuda_devices() noexcept {
    int n = 0;
    if (cudaGetDeviceCount(&n) == cudaSuccess) return n;
    static_cast<void>(cudaGetLastError());
    return 0;
}

Cuda::Cuda(CudaDevice device, CUstream_st* lent)
    : device_(std::move(device)),
      queue_(std::make_shared<const CudaQueue>(device_.index, lent)),
      partials_(*this, ReductionScratch::size),
      ticket_(*this, 1),
      reduction_{.partials = partials_.data(), .ticket = ticket_.data()} {
    zero_bytes(ticket_.data(), ticket_.bytes());
}

Cuda::Cuda(int device) : Cuda(query_device(device), nullptr) {}

Cuda::Cuda(int device, CUstream_st* stream) : Cuda(query_device(device), capturable(stream)) {}

Cuda::~Cuda() = default;

void Cuda::make_current() const {
    make_device_current(device_.index);
}

CUstream_st* Cuda::stream() const {
    make_current();
    return queue_->stream();
}

LoopMonitor& Cuda::loop_monitor() {
    if (!loop_monitor_) loop_monitor_ = std::make_unique<LoopMonitor>(*this);
    return *loop_monitor_;
}

HostAnswer& Cuda::host_answer() {
    if (!host_answer_) {
        make_current();
        host_answer_ = std::make_unique<HostAnswer>();
    }
    return *host_answer_;
}

void Cuda::synchronize() const {
    check_cuda(cudaStreamSynchronize(stream()), "waiting for the device");
}

Size Cuda::free_bytes() const {
    make_current();
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "asking for free device memory");
    std::uint64_t reserved = 0, used = 0;
    const cudaMemPool_t pool = queue_->pool();
    check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "asking the memory pool");
    check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "asking the memory pool");
    return static_cast<Size>(free + (reserved - used));
}

bool Cuda::has_free(Size bytes) const {
    constexpr Size few = Size{64} << 20;
    return bytes <= few || bytes <= free_bytes();
}

void Cuda::require_free(std::string_view what_for, Size bytes) const {
    if (!has_free(bytes)) throw OutOfMemory(fmt::format("{} on {}", what_for, device_.name), bytes, free_bytes());
}

void Cuda::copy_bytes(void* to, const void* from, Size bytes) const {
    if (bytes == 0) return;
    check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream()), "copying");
}

StagingBuffer* Cuda::staging_for(Size bytes) {
    if (bytes < StagingBuffer::least_bytes) return nullptr;
    make_current();
    if (!staging_) staging_ = std::make_unique<StagingBuffer>();
    return staging_->is_locked() ? staging_.get() : nullptr;
}

void Cuda::upload_bytes(void* to, const void* from, Size bytes) {
    if (StagingBuffer* const staging = staging_for(bytes)) {
        staging->upload(*this, static_cast<char*>(to), static_cast<const char*>(from), bytes);
    } else {
        copy_bytes(to, from, bytes);
    }
}

void Cuda::download_bytes(void* to, const void* from, Size bytes) {
    if (bytes > 0 && bytes <= HostAnswer::most_bytes) {
        host_answer().download(*this, to, from, bytes);
    } else if (StagingBuffer* const staging = staging_for(bytes)) {
        staging->download(*this, static_cast<char*>(to), static_cast<const char*>(from), bytes);
    } else {
        copy_bytes(to, from, bytes);
        synchronize();
    }
}

void Cuda::zero_bytes(void* to, Size bytes) const {
    if (bytes == 0) return;
    check_cuda(cudaMemsetAsync(to, 0, static_cast<std::size_t>(bytes), stream()), "clearing memory");
}

bool Cuda::is_capturing() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(stream(), &status), "asking whether the stream is being captured");
    return status != cudaStreamCaptureStatusNone;
}

std::shared_ptr<void> allocate_device(const Cuda& backend, Size n, Size element_bytes) {
    require(n >= 0, "allocate_device: the size must not be negative");
    Size bytes = 0;
    if (__builtin_mul_overflow(n, element_bytes, &bytes)) {
        throw InvalidArgument("Vector: the size in bytes exceeds 2^63");
    }
    if (bytes == 0) return {};
    backend.make_current();
    std::shared_ptr<void> memory = CudaQueue::allocate(backend.queue(), bytes);
    if (memory == nullptr) {
        throw OutOfMemory(fmt::format("an array on {}", backend.device().name), bytes, backend.free_bytes());
    }
    return memory;
}

void check_lent(const Cuda& backend, const void* data, Size n) {
    constexpr Size widest_access = 16;
    require(n >= 0, "Vector::lent: n must not be negative");
    if (n == 0) return;
    require_alignment(data, widest_access, "Vector::lent");
    backend.make_current();
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, data), "asking whose memory was lent");
    const int index = backend.device().index;
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != index) {
        throw InvalidArgument(fmt::format("Vector::lent: this is memory of CUDA device {}, the backend computes on {}",
                                          attributes.device, index));
    }
    if (attributes.type == cudaMemoryTypeUnregistered) {
        throw InvalidArgument(
            "Vector::lent: this is memory of the host that the device cannot reach; upload() copies it there");
    }
}

CudaEvent::~CudaEvent() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

void CudaEvent::record(const Cuda& backend) {
    const cudaStream_t stream = backend.stream();
    if (event_ == nullptr) check_cuda(cudaEventCreate(&event_), "creating an event");
    check_cuda(cudaEventRecord(event_, stream), "recording an event");
}

double CudaEvent::seconds_since(const CudaEvent& start) const {
    check_cuda(cudaEventSynchronize(event_), "waiting for an event");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start.event_, event_), "reading the time between events");
    return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace stiefel
