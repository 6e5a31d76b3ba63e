#include "stiefel/core/cuda/loop.hpp"

#include "stiefel/core/cuda/host_answer.hpp"
#include "stiefel/core/timing.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

namespace stiefel {

namespace {

constexpr std::size_t words_per_slot = 4;
constexpr std::size_t slot_bytes = words_per_slot * sizeof(std::uint32_t);

const Cuda& made_current(const Cuda& backend) {
    backend.make_current();
    return backend;
}

}  // namespace

LoopMonitor::LoopMonitor(const Cuda& backend) : control_(made_current(backend), 1), ring_(loop_ring * words_per_slot) {
    check_cuda(cudaStreamCreateWithFlags(&side_stream_, cudaStreamNonBlocking), "creating a stream");
}

LoopMonitor::~LoopMonitor() {
    static_cast<void>(cudaStreamSynchronize(side_stream_));  // it may still be writing to control_
    static_cast<void>(cudaStreamDestroy(side_stream_));
}

void LoopMonitor::start(const Cuda& backend, Size iteration) {
    // What an earlier loop was asked at its end must not reach this one.
    if (asked_.end_as != 0) check_cuda(cudaStreamSynchronize(side_stream_), "waiting for an earlier loop");
    if (is_read_) {
        clear(began_, told_);
    } else {
        backend.synchronize();
        ring_.clear();
    }
    began_ = told_ = iteration;
    asked_ = {};
}

LoopMonitor::Notes LoopMonitor::notes(const Cuda& backend, Size bytes) {
    if (notes_bytes_ < bytes) {
        backend.synchronize();  // what there was may be written to
        notes_ = std::make_unique<MappedMemory<unsigned char>>(static_cast<std::size_t>(bytes));
        notes_bytes_ = bytes;
    }
    return {notes_->on_device(), notes_->on_host()};
}

void LoopMonitor::bring(const Cuda& backend, const void* from, Size bytes) {
    write_to_host(backend, brought_.on_device(), from, bytes);
}

void LoopMonitor::clear(Size from, Size to) {
    from = std::max(from, to - loop_ring);
    for (Size k = from + 1; k <= to; ++k) std::memset(slot(k), 0, slot_bytes);
}

Size LoopMonitor::next_end(const Cuda& backend, Size last) const {
    const Size window = backend.is_alone() ? loop_ring - loop_slack : world_window;
    return std::min(told_ + window, last);
}

void LoopMonitor::open_window(Cuda& backend, Size last) {
    asked_.window_end = next_end(backend, last);
    is_read_ = false;
    *answer_.on_host() = asked_;
    store(backend, asked_, control_);
}

void LoopMonitor::answer() {
    __atomic_store_n(&answer_.on_host()->end_as, asked_.end_as, __ATOMIC_RELEASE);
    __atomic_store_n(&answer_.on_host()->window_end, asked_.window_end, __ATOMIC_RELEASE);
}

std::uint32_t* LoopMonitor::slot(Size iteration) const {
    return ring_.on_host() + static_cast<std::size_t>(iteration % loop_ring) * words_per_slot;
}

bool LoopMonitor::arrived(double& residual2) const {
    const Size next = told_ + 1;
    const auto* const letter = reinterpret_cast<const std::uint64_t*>(slot(next));
    const auto half = [letter](std::size_t k) { return __atomic_load_n(letter + k, __ATOMIC_ACQUIRE); };
    const std::uint64_t low = half(0), high = half(1);
    const auto number = static_cast<std::uint32_t>(next);
    if (static_cast<std::uint32_t>(low >> 32) != number || static_cast<std::uint32_t>(high >> 32) != number) {
        return false;
    }
    residual2 = std::bit_cast<double>((high << 32) | (low & 0xffffffffu));
    return true;
}

bool LoopMonitor::drain(const Cuda& backend, const OnIteration& on_iteration, const WindowEnd& window_end) {
    const Size told = told_;
    double residual2 = 0;
    while (arrived(residual2)) {
        ++told_;
        const int end_as = on_iteration(told_, residual2);
        if (end_as != 0 && asked_.end_as == 0) ask_to_end(backend, end_as);
        if (!window_end || told_ != asked_.window_end) continue;
        if (asked_.end_as == 0) asked_.window_end = next_end(backend, window_end(told_));
        answer();
    }
    return told_ != told;
}

void LoopMonitor::ask_to_end(const Cuda& backend, int end_as) {
    asked_.end_as = end_as;
    if (!backend.is_alone()) return;
    answer();
    check_cuda(
        cudaMemcpyAsync(&control_.data()->end_as, &asked_.end_as, sizeof end_as, cudaMemcpyHostToDevice, side_stream_),
        "asking a loop to end");
}

void LoopMonitor::wait(Cuda& backend, const OnIteration& on_iteration, const WindowEnd& window_end) {
    // Then the wait yields the core between looks, and sees the end up to 0.15 ms late.
    constexpr double eager_seconds = 2e-2;
    // Asking the driver takes a microsecond, in which a kernel may wait for an answer; so it is asked only where so
    // many looks saw nothing.
    constexpr int looks_before_asking = 16;
    const Stopwatch watch;
    for (int looks = 0;; ++looks) {
        const bool is_eager = watch.seconds() <= eager_seconds;
        const bool asks = !is_eager || looks >= looks_before_asking;
        const cudaError_t status = asks ? cudaStreamQuery(backend.stream()) : cudaErrorNotReady;
        if (drain(backend, on_iteration, window_end) || asks) looks = 0;
        if (status == cudaSuccess) {
            is_read_ = true;
            return;
        }
        if (status != cudaErrorNotReady) check_cuda(status, "running a loop");
        if (!is_eager) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

}  // namespace stiefel
