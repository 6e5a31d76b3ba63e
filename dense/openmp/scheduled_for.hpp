#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/dense/gemm_kernels.hpp"

#include <omp.h>

namespace stiefel {

/// f(i) for i in 0 .. n-1 on the backend's threads, dealt out as the tuning says. The program's own run-sched-var is
/// left as it was.
template <class F>
void scheduled_for(OpenMP& backend, Size n, const GemmTuning& tuning, F&& f) {
    require(tuning.chunk >= 0, "gemm: chunk must not be negative");
    if (tuning.schedule == Schedule::none) {
#pragma omp parallel for num_threads(backend.threads())
        for (Size i = 0; i < n; ++i) f(i);
        return;
    }
    omp_sched_t kind_before{};
    int chunk_before = 0;
    omp_get_schedule(&kind_before, &chunk_before);
    omp_set_schedule(tuning.schedule == Schedule::fixed     ? omp_sched_static
                     : tuning.schedule == Schedule::dynamic ? omp_sched_dynamic
                                                            : omp_sched_guided,
                     tuning.chunk);
#pragma omp parallel for num_threads(backend.threads()) schedule(runtime)
    for (Size i = 0; i < n; ++i) f(i);
    omp_set_schedule(kind_before, chunk_before);
}

}  // namespace stiefel
