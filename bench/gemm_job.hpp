#pragma once

#include "bench/blas_reference.hpp"
#include "bench/dense_setting.hpp"
#include "bench/operands.hpp"

#include "stiefel/dense/gemm_kernels.hpp"

#include <memory>

namespace stiefel::bench {

/// One square product of the bench, C = A B, with all that its ladder needs. The ladder's rungs refer to the job.
template <class T>
class GemmHostJob {
public:
    GemmHostJob(Index n, int threads);

    /// The ladder of one thread, that of all threads, and the references on as many.
    Ladder ladder(const DenseSetting& setting);
    /// The rungs that OpenMP's schedule concerns, each with each schedule.
    Ladder schedules(const DenseSetting& setting);
    /// `tiled` with tiles of every size.
    Ladder tiles(const DenseSetting& setting);

private:
    Ladder blank(const DenseSetting& setting, const std::string& what) const;
    void add_references(Ladder& ladder);
    template <class Backend>
    Rung rung(Backend& backend, const GemmKernel<Backend, T>& kernel, const GemmTuning& tuning,
              const std::string& name);
    Deviation check();

    Index n_;
    Serial serial_;
    OpenMP openmp_;
    HostVector<T> a_, b_, c_, reference_, absolutes_;
    std::vector<HostBlas> references_;
};

template <class T>
class GemmCudaJob {
public:
    GemmCudaJob(Cuda& backend, Index n);

    /// The rungs in T's own precision.
    Ladder ladder(const DenseSetting& setting);
    /// Those that round their operands, beside cuBLAS doing the same.
    Ladder reduced(const DenseSetting& setting);
    Ladder tiles(const DenseSetting& setting);

private:
    Ladder blank(const DenseSetting& setting, const std::string& what) const;
    void add_references(Ladder& ladder);
    Rung rung(const GemmKernel<Cuda, T>& kernel, const GemmTuning& tuning, const std::string& name);
    Deviation check(double slack);

    Cuda& backend_;
    Index n_;
    DeviceVector<T> a_, b_, c_;
    HostVector<T> reference_, absolutes_;
    std::unique_ptr<CudaBlas> cublas_;
};

/// Flops a second that the micro-kernel reaches on operands in L1, on `threads` threads: what the host can do.
template <class T>
double host_peak(int threads);

/// Flops a second of the device's fastest units for T in its own precision, or for tf32, at its highest clock.
double cuda_peak(const Cuda& backend, bool single, bool tf32);

}  // namespace stiefel::bench
