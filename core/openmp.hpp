#pragma once

#include "stiefel/core/memory.hpp"

namespace stiefel {

/// Backend: all cores of the host through OpenMP. Kernels sum in an order fixed by the operands alone, never by the
/// number of threads or their timing, so results repeat bit for bit on any number of threads.
class OpenMP {
public:
    using memory = HostMemory;
    static constexpr const char* name = "openmp";

    /// threads = 0 takes what OpenMP offers (OMP_NUM_THREADS, else the cores this process may use).
    /// Throws InvalidArgument if negative.
    explicit OpenMP(int threads = 0);

    int threads() const { return threads_; }

    template <class Step>
    Step record(Step step) {
        return step;
    }

    /// n doubles of scratch for partial sums, valid until the next call; grows, never shrinks.
    double* partials(Size n);

private:
    int threads_;
    HostVector<double> partials_;
};

}  // namespace stiefel
