#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/core/step_length.hpp"
#include "stiefel/core/world.hpp"

#include <cstddef>

namespace stiefel {

/// Backend: all cores of the host through OpenMP. Kernels sum in an order fixed by the operands alone, never by the
/// number of threads or their timing, so results repeat bit for bit on any number of threads.
class OpenMP : public InWorld {
public:
    using memory = HostMemory;
    static constexpr const char* name = "openmp";

    /// One thread at a time may use a backend, for the sake of its scratch; other threads have backends of their own.
    static constexpr bool threads_may_share = false;

    /// threads = 0 takes OMP_NUM_THREADS, else as many as the cores that this process may use by its affinity and the
    /// CPU quotas of its control groups. Throws InvalidArgument if negative, OutOfThreads if they cannot be started.
    explicit OpenMP(int threads = 0);

    int threads() const { return threads_; }

    template <class Step>
    Step record(Step step, StepLength = StepLength::few_kernels) {
        return step;
    }

    /// Room for n objects of a trivial type, valid until the next call; grows, never shrinks.
    template <class S>
    S* scratch(Size n) {
        static_assert(std::is_trivially_copyable_v<S>);
        const Size bytes = n * static_cast<Size>(sizeof(S));
        if (scratch_.size() < bytes) scratch_ = HostVector<std::byte>(bytes);
        return reinterpret_cast<S*>(scratch_.data());
    }

    /// Scratch for partial sums.
    double* partials(Size n) { return scratch<double>(n); }

private:
    int threads_;
    HostVector<std::byte> scratch_;
};

}  // namespace stiefel
