#pragma once

#include "stiefel/core/cuda/mapped_memory.hpp"
#ifdef __CUDACC__
#include "stiefel/core/cuda/letter.cuh"
#include "stiefel/core/cuda/nanoseconds.cuh"
#endif

#include <cstddef>
#include <functional>
#include <memory>

namespace stiefel {

/// What the host asks of a loop; in device memory, read by the kernel that ends an iteration. A kernel that waits for
/// an answer reads the host's memory instead, as a copy to the device would arrive later; and all of it at once, as
/// each look goes over the bus.
struct alignas(16) LoopControl {
    Size window_end = 0;  ///< after this iteration the loop pauses, so that the ring is not overrun; it only grows
    int end_as = 0;       ///< not 0: the loop is to end, for the reason that the loop's owner means by it
};

/// Iterations that the ring holds. A power of two.
inline constexpr Size loop_ring = 1 << 14;

/// Iterations of a window where several GPUs run the loop together. What a host asks reaches them at its end, so that
/// all end after the same iteration; in between they look at nothing that differs.
inline constexpr Size world_window = 1 << 10;

/// Iterations by which an unrolled loop may run past its window: none where these are a multiple of its copies.
inline constexpr Size loop_slack = 64;

#ifdef __CUDACC__

/// Iterations between looks at whether the host wants the loop to end, in kernels that run many.
inline constexpr Size ask_stride = 16;

/// What the host asked the loop to end as; 0: to go on.
__device__ inline int loop_end_asked(const CudaLoop& loop) {
    return loop.control != nullptr ? *static_cast<volatile int*>(&loop.control->end_as) : 0;
}

/// Each of its words as the host has written it last.
__device__ inline LoopControl read_answer(const CudaLoop& loop) {
    static_assert(sizeof(LoopControl) == 2 * sizeof(Size) && offsetof(LoopControl, end_as) == sizeof(Size));
    Size window_end = 0, end_as = 0;
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(window_end), "=l"(end_as)
                 : "l"(loop.answer)
                 : "memory");
    return {window_end, static_cast<int>(end_as)};
}

/// What a kernel that is a whole loop comes to know at the end of its window.
enum class AtWindowEnd { goes_on, ends, leaves };

/// Waits for the host to open the next window, whose end is then in window_end, or to ask for the end. A host that does
/// neither for long is one that waits for the kernel in its turn, as under some profilers, or has no processor: then
/// the kernel is to leave, to be launched again. To be called by one thread of the grid. end_as: what is asked for
/// where it `ends`.
__device__ inline AtWindowEnd loop_await(const CudaLoop& loop, Size& window_end, int& end_as) {
    constexpr unsigned long long patience = 500000;  // ns
    const unsigned long long begin = nanoseconds();
    do {
        const LoopControl answer = read_answer(loop);
        end_as = answer.end_as;
        if (end_as != 0) return AtWindowEnd::ends;
        if (answer.window_end > window_end) {
            window_end = answer.window_end;
            return AtWindowEnd::goes_on;
        }
    } while (nanoseconds() - begin < patience);
    return AtWindowEnd::leaves;
}

/// Tells the host of an iteration: a letter into its memory that nobody waits for, sealed with the iteration's number.
__device__ inline void loop_report(const CudaLoop& loop, Size iteration, double residual2) {
    if (loop.ring == nullptr) return;
    const auto slot = reinterpret_cast<Letter*>(loop.ring) + iteration % loop_ring;
    post_afar(slot, Letter::sealed(residual2, static_cast<unsigned>(iteration)));
}

/// Ends the graph's loop, for good or because its window is used up.
__device__ inline void loop_continue(const CudaLoop& loop, Size iteration, bool running) {
    if (loop.condition == 0) return;
    if (!running || iteration >= loop.control->window_end) cudaGraphSetConditional(loop.condition, 0);
}

#endif

/// Follows a loop from the host while it runs.
class LoopMonitor {
public:
    explicit LoopMonitor(const Cuda& backend);
    LoopMonitor(const LoopMonitor&) = delete;
    LoopMonitor& operator=(const LoopMonitor&) = delete;
    ~LoopMonitor();

    /// What the kernels of the loop need; without condition.
    CudaLoop loop() const {
        return {.ring = ring_.on_device(), .control = control_.data(), .answer = answer_.on_device()};
    }

    /// Returns 0, or what the loop is to end as.
    using OnIteration = std::function<int(Size iteration, double residual2)>;

    /// Forgets what earlier loops left. `iteration` are done already.
    void start(const Cuda& backend, Size iteration);

    /// Memory of the host where kernels of a loop leave what the host reads once it has waited for them: the same for
    /// all loops, so that it is read before the next one begins.
    struct Notes {
        void* on_device;
        const void* on_host;
    };
    Notes notes(const Cuda& backend, Size bytes);

    /// Has `bytes` of the device's memory brought, as they are once all that is enqueued so far is done; they are
    /// there when wait() has returned. At most most_brought.
    static constexpr Size most_brought = 4096;
    void bring(const Cuda& backend, const void* from, Size bytes);
    const void* brought() const { return brought_.on_host(); }

    /// Opens a window of iterations for the work that is enqueued next; it ends after iteration `last` at the latest.
    void open_window(Cuda& backend, Size last);

    /// After which iteration a window that begins after `iteration` is to end at the latest.
    using WindowEnd = std::function<Size(Size iteration)>;

    /// Waits for the stream's work and tells on_iteration of each iteration as it arrives, in order. When that first
    /// returns something else than 0 the loop is asked to end; in a world, where it returns the same in all ranks, it
    /// ends with its window. With window_end the loop is one that waits at the end of a window (loop_await) for the
    /// next, which is opened as soon as all of this one has been told.
    void wait(Cuda& backend, const OnIteration& on_iteration, const WindowEnd& window_end = {});

    /// What the loop was asked to end as; 0: to go on.
    int end_asked() const { return asked_.end_as; }

private:
    std::uint32_t* slot(Size iteration) const;
    /// Of the iterations `from` + 1 to `to`.
    void clear(Size from, Size to);
    bool arrived(double& residual2) const;
    /// Whether there was any.
    bool drain(const Cuda& backend, const OnIteration& on_iteration, const WindowEnd& window_end);
    void ask_to_end(const Cuda& backend, int end_as);
    Size next_end(const Cuda& backend, Size last) const;
    /// What was asked, to a kernel that waits for it.
    void answer();

    cudaStream_t side_stream_ = nullptr;
    mutable DeviceVector<LoopControl> control_;
    MappedMemory<std::uint32_t> ring_;
    MappedMemory<LoopControl> answer_{1};
    MappedMemory<unsigned char> brought_{most_brought};
    std::unique_ptr<MappedMemory<unsigned char>> notes_;
    Size notes_bytes_ = 0;
    LoopControl asked_;
    Size began_ = 0, told_ = 0;
    bool is_read_ = true;  ///< all that was sent; not where listening was broken off by an exception
};

}  // namespace stiefel
