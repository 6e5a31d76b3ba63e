#pragma once

#include "stiefel/core/backend_start.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"
#ifdef STIEFEL_HAS_CUDA
#include "stiefel/core/cuda/early_modules.hpp"
#endif

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>

namespace stiefel::cli {

/// Solves a small system, so that a device has what a solve by CG is made of before the matrix has been read: kernels
/// are loaded, memory is mapped and pools are filled when they are first used, which is 2 ms of a solve (H200).
template <class T, class B>
void warm_up(B& device) {
    OpenMP host(1);
    const auto a = to_device(device, poisson2d<T>(host, 4, 4));
    auto b = make_vector<T>(device, a.n_rows), x = make_vector<T>(device, a.n_rows);
    fill(device, T{1}, b);
    fill(device, T{0}, x);
    static_cast<void>(cg(device, a, make_jacobi(device, a), b, x));
    device.restart_sweeps();  // what was run here decides on no order in which sums are taken later
}

/// Has the kernels of preconditioners that are set up on a device loaded beside all that comes before: 7 ms of a solve
/// with multigrid, 5 ms with fsai (H200).
class EarlyKernels {
public:
    /// Does nothing where it is not to be used, or the options lead to no device.
    EarlyKernels([[maybe_unused]] const BackendOptions& options, [[maybe_unused]] bool may_be_used) {
#ifdef STIEFEL_HAS_CUDA
        if (!may_be_used || !BackendStart::may_be_cuda(options)) return;
        loaded_ = std::async(std::launch::async, [options, called_off = called_off_] {
            if (n_cuda_devices() == 0) return;
            load_early_modules(std::max(options.device, 0), [&] { return !called_off->load(); });
        });
#endif
    }

    /// It is known not to be used: loading need not begin.
    void call_off() {
        *called_off_ = true;
    }

private:
    std::shared_ptr<std::atomic<bool>> called_off_ = std::make_shared<std::atomic<bool>>(false);
    std::future<void> loaded_;  // waited for by its destructor
};

}  // namespace stiefel::cli
