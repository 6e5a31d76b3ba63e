#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/core/step_length.hpp"
#include "stiefel/core/world.hpp"

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
    std::string id;            ///< where it sits on the bus of its host: one device has one, whoever may see which
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
/// while kernels that use it are still queued. It keeps the stream and its memory pool alive, so it may outlive the
/// backend.
template <class T>
class Vector<T, DeviceMemory> {
    static_assert(std::is_trivially_copyable_v<T>, "kernels move elements as bytes");

public:
    using value_type = T;
    using memory = DeviceMemory;

    Vector() = default;

    /// n elements, values unspecified. Throws OutOfMemory with what was asked and what the device has free.
    Vector(const Cuda& backend, Size n);

    /// The n elements at `data`, which stay the lender's, as for vectors of the host: the memory of the backend's
    /// device, or what that device can reach. Kernels read 16 bytes at once, so throws InvalidArgument unless the
    /// address is a multiple of that, and for memory that the device cannot reach. Whoever writes to it by other means
    /// than this library, in another order than that of the stream, says so by data() of a vector that is not constant.
    static Vector lent(const Cuda& backend, T* data, Size n, KeepAlive keep_alive = {});
    static const Vector lent(const Cuda& backend, const T* data, Size n, KeepAlive keep_alive = {}) {
        return lent(backend, const_cast<T*>(data), n, std::move(keep_alive));
    }

    Vector(Vector&& other) noexcept
        : owner_(std::move(other.owner_)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          is_settled_(std::exchange(other.is_settled_, false)) {}
    Vector& operator=(Vector&& other) noexcept {
        std::swap(owner_, other.owner_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(is_settled_, other.is_settled_);
        return *this;
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() = default;

    Size size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Size bytes() const { return size_ * static_cast<Size>(sizeof(T)); }
    T* data() {
        is_settled_ = false;
        return data_;
    }
    const T* data() const { return data_; }

    /// Whether a kernel that waited for all before it was started since the elements could last be written: since then
    /// a kernel may read them before the one ahead of it has ended. settle() is said by who starts such a kernel.
    bool is_settled() const { return is_settled_; }
    void settle() const { is_settled_ = true; }

private:
    Vector(std::shared_ptr<void> owner, Size n)
        : owner_(std::move(owner)), data_(static_cast<T*>(owner_.get())), size_(n) {}

    std::shared_ptr<void> owner_;
    T* data_ = nullptr;
    Size size_ = 0;
    mutable bool is_settled_ = false;
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
    DeviceWorld* world = nullptr;  ///< of the GPUs over which sums end (core/cuda/device_world.cuh); none: alone
};

class CudaGraph;
class CudaQueue;
class HostAnswer;
class LoopMonitor;
class StagingBuffer;
struct LoopControl;

/// A loop on the device, as its kernels see it; all zero outside of loops. core/cuda/loop.hpp says more.
struct CudaLoop {
    unsigned long long condition = 0;     ///< handle of the graph's WHILE node, 0 if there is none
    std::uint32_t* ring = nullptr;        ///< where iterations are told to the host
    LoopControl* control = nullptr;       ///< what the host asks of the loop
    const LoopControl* answer = nullptr;  ///< the same in the host's memory, for who waits for it
};

/// A recorded step: calling it runs it once.
struct CudaStep {
    std::function<void()> run;
    std::shared_ptr<const CudaGraph> loop;          ///< kept by repeat() from one run of the loop to the next
    std::function<void(const CudaLoop&)> resident;  ///< if set: enqueues one kernel that is the whole loop
    bool sampled = false;                           ///< has been run outside of the loop, for KernelClock
    StepLength length = StepLength::few_kernels;
    void operator()() const { run(); }
};

/// Backend: one CUDA device, through one stream, with a memory pool of its own. Everything that takes this backend only
/// enqueues work on the stream, save what hands data to the host. It does so on the backend's device, whichever was the
/// thread's current one, and leaves it current; so backends of several devices may take turns in one thread.
class Cuda : public InWorld {
public:
    using memory = DeviceMemory;
    static constexpr const char* name = "cuda";
    static constexpr int threads() { return 1; }

    /// One thread at a time may use a backend and what was made with it; other threads have backends of their own.
    static constexpr bool threads_may_share = false;

    /// On a stream of its own. Devices are numbered as the driver shows them, so as CUDA_VISIBLE_DEVICES says.
    /// Throws DeviceError if there is no such device.
    explicit Cuda(int device = 0);

    /// On a stream that is lent: a stream of that device which was made by cudaStreamCreate or its like, not the
    /// default one, which no graph can capture (InvalidArgument). It outlives the backend and all that was made with
    /// it. What others enqueue there stays in order with the backend's work.
    Cuda(int device, CUstream_st* stream);
    ~Cuda();
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;

    const CudaDevice& device() const { return device_; }

    /// The stream, to enqueue work on: makes the device the thread's current one, as starting a kernel asks for.
    CUstream_st* stream() const;
    void make_current() const;
    const std::shared_ptr<const CudaQueue>& queue() const { return queue_; }
    ReductionScratch reduction() const {
        ReductionScratch scratch = reduction_;
        if (!is_alone()) scratch.world = world()->on_device();
        return scratch;
    }

    /// From now on sums end over the GPUs of this world (world/cuda/cuda_world.hpp); not while a loop runs, nor for
    /// what was captured before. The world must outlive the backend. Throws InvalidArgument for one of hosts.
    void join(World& world) {
        require(world.on_device() != nullptr, "Cuda::join: a world of GPUs is a CudaWorld");
        InWorld::join(world);
    }

    /// Waits for everything enqueued so far. Throws CudaError if any of it failed.
    void synchronize() const;

    /// Bytes of device memory that can still be allocated.
    Size free_bytes() const;

    /// Whether so many can be; yes where they are few, as the driver takes as long to say it as for several kernels,
    /// and an allocation that fails says it as soon.
    bool has_free(Size bytes) const;

    /// Throws OutOfMemory unless has_free(bytes): to be asked before a large job starts, with all that it will
    /// allocate.
    void require_free(std::string_view what_for, Size bytes) const;

    /// Copies or clears bytes in stream order, between any two memories. From pageable host memory the call returns
    /// when the source has been read.
    void copy_bytes(void* to, const void* from, Size bytes) const;
    void zero_bytes(void* to, Size bytes) const;

    /// Copies from and to pageable host memory, the large ones through page-locked memory at the rate of the bus, and
    /// few bytes from the device by a kernel, as soon as the work before is done. upload_bytes returns when the source
    /// has been read; download_bytes waits for all work enqueued before, and for the copy.
    void upload_bytes(void* to, const void* from, Size bytes);
    void download_bytes(void* to, const void* from, Size bytes);

    /// Keeps a step of a loop for repeat(), which captures it in a graph: kernel launches with fixed arguments, no
    /// allocation, no copies from or to the host, nothing that waits.
    template <class Step>
    CudaStep record(Step step, StepLength length = StepLength::few_kernels) {
        return {.run = std::function<void()>(std::move(step)), .loop = {}, .resident = {}, .length = length};
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

    /// For numbers that the host waits for; made when first asked for.
    HostAnswer& host_answer();

    /// Whether kernels launched now are captured in a graph instead of being run.
    bool is_capturing() const;

private:
    Cuda(CudaDevice device, CUstream_st* lent);

    CudaDevice device_;
    std::shared_ptr<const CudaQueue> queue_;
    DeviceVector<double> partials_;
    DeviceVector<unsigned> ticket_;
    ReductionScratch reduction_;
    CudaLoop loop_;
    bool descends_ = true;
    std::unique_ptr<LoopMonitor> loop_monitor_;
    std::unique_ptr<HostAnswer> host_answer_;
    std::unique_ptr<StagingBuffer> staging_;  ///< made by the first large copy

    StagingBuffer* staging_for(Size bytes);
};

/// n elements of device memory in stream order; what Vector<T, DeviceMemory> is made of.
std::shared_ptr<void> allocate_device(const Cuda& backend, Size n, Size element_bytes);

/// Throws InvalidArgument for what Vector<T, DeviceMemory>::lent refuses.
void check_lent(const Cuda& backend, const void* data, Size n);

template <class T>
Vector<T, DeviceMemory>::Vector(const Cuda& backend, Size n)
    : Vector(allocate_device(backend, n, static_cast<Size>(sizeof(T))), n) {}

template <class T>
Vector<T, DeviceMemory> Vector<T, DeviceMemory>::lent(const Cuda& backend, T* data, Size n, KeepAlive keep_alive) {
    check_lent(backend, data, n);
    return Vector(std::shared_ptr<void>(std::move(keep_alive), data), n);
}

// Vectors and copies of this backend; core/transfer.hpp has those of the others.

/// n elements, values unspecified.
template <class T>
DeviceVector<T> make_vector(Cuda& backend, Size n) {
    return DeviceVector<T>(backend, n);
}

/// A vector over n elements that someone else owns: see Vector::lent.
template <class T>
DeviceVector<T> lent_vector(Cuda& backend, T* data, Size n, KeepAlive keep_alive = {}) {
    return DeviceVector<T>::lent(backend, data, n, std::move(keep_alive));
}
template <class T>
const DeviceVector<T> lent_vector(Cuda& backend, const T* data, Size n, KeepAlive keep_alive = {}) {
    return DeviceVector<T>::lent(backend, data, n, std::move(keep_alive));
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

/// What lies there on the device; waits for the work enqueued before.
template <class T>
T load(Cuda& backend, const T* from) {
    T value;
    backend.download_bytes(&value, from, sizeof(T));
    return value;
}

template <class T>
T load(Cuda& backend, const DeviceVector<T>& from) {
    return load(backend, from.data());
}

/// A point in a stream's work; two of them measure the time between, on the device's own clock (0.5 us resolution).
class CudaEvent {
public:
    CudaEvent() = default;
    CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    CudaEvent& operator=(CudaEvent&&) = delete;
    ~CudaEvent();

    void record(const Cuda& backend);

    /// Seconds from `start` to this event; waits for both.
    double seconds_since(const CudaEvent& start) const;

private:
    CUevent_st* event_ = nullptr;
};

}  // namespace stiefel
