#pragma once

#include "stiefel/core/memory.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The CUDA runtime's own types, so that this header needs none of its headers.
struct CUstream_st;
struct CUevent_st;

namespace stiefel {

/// A call of the CUDA runtime failed; code() is its cudaError_t.
class CudaError : public DeviceError {
public:
    CudaError(int code, std::string_view doing);
    int code() const { return code_; }

private:
    int code_;
};

/// What a device is, as its driver tells it.
struct CudaDevice {
    int index = 0;
    std::string name;
    int major = 0, minor = 0;  ///< compute capability
    int multiprocessors = 0;
    Size memory_bytes = 0;
    Size l2_bytes = 0;
    Size shared_bytes_per_block = 0;  ///< the most that a kernel may opt in to
};

/// Devices that can be used: 0 where there is no device, no driver, or one too old.
int n_cuda_devices() noexcept;

/// Memory of a CUDA device.
struct DeviceMemory {};

class Cuda;

/// Contiguous array in device memory, allocated and freed in the order of its backend's stream: it may be destroyed
/// while kernels that use it are still queued. It keeps the stream alive, so it may outlive the backend.
template <class T>
class Vector<T, DeviceMemory> {
    static_assert(std::is_trivially_copyable_v<T>, "kernels move elements as bytes");

public:
    using value_type = T;
    using memory = DeviceMemory;

    Vector() = default;

    /// n elements, values unspecified. Throws OutOfMemory with what was asked and what the device has free.
    Vector(const Cuda& backend, Size n);

    Vector(Vector&& other) noexcept
        : stream_(std::move(other.stream_)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    Vector& operator=(Vector&& other) noexcept {
        std::swap(stream_, other.stream_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector();

    Size size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Size bytes() const { return size_ * static_cast<Size>(sizeof(T)); }
    T* data() { return data_; }
    const T* data() const { return data_; }

private:
    std::shared_ptr<CUstream_st> stream_;
    T* data_ = nullptr;
    Size size_ = 0;
};

template <class T>
using DeviceVector = Vector<T, DeviceMemory>;

/// Memory for the reductions of kernels: partial sums of blocks, and the ticket by which the last block to arrive knows
/// itself. Zero between kernels.
struct ReductionScratch {
    static constexpr int max_blocks = 1 << 14;
    static constexpr int max_sums = 3;
    static constexpr Size size = Size{1} << 20;  ///< of partials: a Gram matrix of 64 columns from each multiprocessor
    static_assert(size >= Size{max_sums} * max_blocks);

    double* partials = nullptr;
    unsigned* ticket = nullptr;
};

class CudaGraph;
class LoopMonitor;
class StagingBuffer;
struct LoopControl;

/// A loop on the device, as its kernels see it; all zero outside of loops. core/cuda/loop.hpp says more.
struct CudaLoop {
    unsigned long long condition = 0;  ///< handle of the graph's WHILE node, 0 if there is none
    std::uint32_t* ring = nullptr;     ///< where iterations are told to the host
    LoopControl* control = nullptr;    ///< what the host asks of the loop
};

/// A recorded step: calling it runs it once.
struct CudaStep {
    std::function<void()> run;
    std::shared_ptr<const CudaGraph> loop;          ///< kept by repeat() from one run of the loop to the next
    std::function<void(const CudaLoop&)> resident;  ///< if set: enqueues one kernel that is the whole loop
    bool sampled = false;                           ///< has been run outside of the loop, for KernelClock
    void operator()() const { run(); }
};

/// Backend: one CUDA device, through one stream of its own. Everything that takes this backend only enqueues work on
/// the stream, save what hands data to the host.
class Cuda {
public:
    using memory = DeviceMemory;
    static constexpr const char* name = "cuda";
    static constexpr int threads() { return 1; }

    /// Throws DeviceError if there is no such device.
    explicit Cuda(int device = 0);
    ~Cuda();
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;

    const CudaDevice& device() const { return device_; }
    CUstream_st* stream() const { return stream_.get(); }
    const std::shared_ptr<CUstream_st>& shared_stream() const { return stream_; }
    const ReductionScratch& reduction() const { return reduction_; }

    /// Waits for everything enqueued so far. Throws CudaError if any of it failed.
    void synchronize() const;

    /// Bytes of device memory that can still be allocated.
    Size free_bytes() const;

    /// Throws OutOfMemory unless `bytes` of device memory are free: to be asked before a large job starts, with all
    /// that it will allocate.
    void require_free(std::string_view what_for, Size bytes) const;

    /// Copies or clears bytes in stream order, between any two memories. From pageable host memory the call returns
    /// when the source has been read.
    void copy_bytes(void* to, const void* from, Size bytes) const;
    void zero_bytes(void* to, Size bytes) const;

    /// Copies from and to pageable host memory, the large ones through page-locked memory at the rate of the bus.
    /// upload_bytes returns when the source has been read; download_bytes waits for all work enqueued before, and for
    /// the copy.
    void upload_bytes(void* to, const void* from, Size bytes);
    void download_bytes(void* to, const void* from, Size bytes);

    /// Keeps a step of a loop for repeat(), which captures it in a graph: kernel launches with fixed arguments, no
    /// allocation, no copies from or to the host, nothing that waits.
    template <class Step>
    CudaStep record(Step step) {
        return {.run = std::function<void()>(std::move(step)), .loop = {}, .resident = {}};
    }

    /// The loop whose steps are being captured; kernels that decide when it ends take it along. Inactive elsewhere.
    const CudaLoop& loop() const { return loop_; }
    void set_loop(const CudaLoop& loop) { loop_ = loop; }

    /// Whether the next kernel that sweeps over long vectors is to begin at their end: every other one does, so that it
    /// begins with what its predecessor touched last, which the cache still holds. No result depends on it.
    bool next_sweep_descends() {
        descends_ = !descends_;
        return descends_;
    }
    void restart_sweeps() { descends_ = true; }

    /// Follows loops from the host; made when first asked for.
    LoopMonitor& loop_monitor();

    /// Whether kernels launched now are captured in a graph instead of being run.
    bool is_capturing() const;

private:
    CudaDevice device_;
    std::shared_ptr<CUstream_st> stream_;
    DeviceVector<double> partials_;
    DeviceVector<unsigned> ticket_;
    ReductionScratch reduction_;
    CudaLoop loop_;
    bool descends_ = true;
    std::unique_ptr<LoopMonitor> loop_monitor_;
    std::unique_ptr<StagingBuffer> staging_;  ///< made by the first large copy

    StagingBuffer* staging_for(Size bytes);
};

/// Device memory in stream order; what Vector<T, DeviceMemory> is made of.
void* allocate_device(const Cuda& backend, Size n, Size element_bytes);
void free_device(void* pointer, CUstream_st* stream) noexcept;

template <class T>
Vector<T, DeviceMemory>::Vector(const Cuda& backend, Size n)
    : stream_(backend.shared_stream()),
      data_(static_cast<T*>(allocate_device(backend, n, static_cast<Size>(sizeof(T))))),
      size_(n) {}

template <class T>
Vector<T, DeviceMemory>::~Vector() {
    if (data_ != nullptr) free_device(data_, stream_.get());
}

// Vectors and copies of this backend; core/transfer.hpp has those of the others.

/// n elements, values unspecified.
template <class T>
DeviceVector<T> make_vector(Cuda& backend, Size n) {
    return DeviceVector<T>(backend, n);
}

/// to = from, across memories. The source may be reused on return.
template <class T>
void upload(Cuda& backend, const HostVector<T>& from, DeviceVector<T>& to) {
    require(from.size() == to.size(), "upload: the vectors differ in size");
    backend.upload_bytes(to.data(), from.data(), from.bytes());
}

/// to = from, across memories; waits for the work enqueued before.
template <class T>
void download(Cuda& backend, const DeviceVector<T>& from, HostVector<T>& to) {
    require(from.size() == to.size(), "download: the vectors differ in size");
    backend.download_bytes(to.data(), from.data(), from.bytes());
}

template <class T>
void store(Cuda& backend, const T& value, DeviceVector<T>& to) {
    backend.copy_bytes(to.data(), &value, sizeof(T));
}

template <class T>
T load(Cuda& backend, const DeviceVector<T>& from) {
    T value;
    backend.copy_bytes(&value, from.data(), sizeof(T));
    backend.synchronize();
    return value;
}

/// A point in a stream's work; two of them measure the time between, on the device's own clock (0.5 us resolution).
class CudaEvent {
public:
    CudaEvent();
    CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    CudaEvent& operator=(CudaEvent&&) = delete;
    ~CudaEvent();

    void record(const Cuda& backend);

    /// Seconds from `start` to this event; waits for both.
    double seconds_since(const CudaEvent& start) const;

private:
    CUevent_st* event_ = nullptr;
};

/// Seconds of one call of each of `steps`, which enqueue kernels: medians of batches captured in graphs, so that short
/// kernels follow each other as fast as the device takes them. The steps take turns, `samples` batches each, more where
/// a batch takes no longer than the noise of a clock that changes.
std::vector<double> captured_seconds(Cuda& backend, int samples, const std::vector<std::function<void()>>& steps);

/// Copy bandwidth of the device in bytes per second, bytes read and written both counted: the median of a few copies of
/// `bytes` bytes. What every fraction of bandwidth on this backend refers to.
double copy_bandwidth(const Cuda& backend, Size bytes = Size{1} << 30);

}  // namespace stiefel
