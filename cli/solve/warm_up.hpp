#pragma once

#include "stiefel/analysis/matrix_facts.hpp"
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
/// are loaded, memory is mapped and pools are filled when they are first used, which is 2 ms of a solve (H200). It is
/// large enough for its iterations not to end before the resident loop, as the first launch of a cooperative kernel
/// takes 0.1 ms (H100). Some memory is mapped to stay in the pool: a set-up that asks for more than the pool has waits
/// 0.15 ms for it (H200).
template <class T, class B>
void warm_up(B& device) {
    constexpr Size bytes = Size{256} << 20, of_free = 64;
    const Size some = std::min(bytes, device.free_bytes() / of_free);
    static_cast<void>(make_vector<double>(device, some / static_cast<Size>(sizeof(double))));
    OpenMP host(1);
    const auto a = to_device(device, poisson2d<T>(host, 8, 8));
    static_cast<void>(matrix_facts(device, a, true));
    auto b = make_vector<T>(device, a.n_rows), x = make_vector<T>(device, a.n_rows);
    fill(device, T{1}, b);
    fill(device, T{0}, x);
    static_cast<void>(cg(device, a, make_jacobi(device, a), b, x));
}

/// Has the kernels of a solve on a device loaded beside all that comes before: 3 ms of any solve, 10 ms with fsai and
/// 15 ms with multigrid (H200). Where the file is read before the device has started they are only moved there, so one
/// says what will not be used as soon as that is known.
class EarlyKernels {
public:
    struct Uses {
        bool fsai = false;
        bool multigrid = false;
        bool ranks = false;
    };

    /// Does nothing where the options lead to no device.
    EarlyKernels(const BackendOptions& options, Uses uses) : state_(std::make_shared<State>(uses)) {
        if (BackendStart::may_be_cuda(options)) load(std::max(options.device, 0));
    }
    /// On a device that is known.
    EarlyKernels(int device, Uses uses) : state_(std::make_shared<State>(uses)) { load(device); }
    /// What has not been loaded by now need not be.
    ~EarlyKernels() { state_->any = false; }
    EarlyKernels(const EarlyKernels&) = delete;
    EarlyKernels& operator=(const EarlyKernels&) = delete;

    /// No others will be used.
    void only(Uses uses) {
        state_->fsai = state_->fsai && uses.fsai;
        state_->multigrid = state_->multigrid && uses.multigrid;
    }

private:
    struct State {
        explicit State(Uses uses) : fsai(uses.fsai), multigrid(uses.multigrid), ranks(uses.ranks) {}
#ifdef STIEFEL_HAS_CUDA
        bool has(EarlyUse use) const {
            switch (use) {
                case EarlyUse::every_solve:
                    return true;
                case EarlyUse::ranks:
                    return ranks;
                case EarlyUse::set_ups:
                    return fsai || multigrid;
                case EarlyUse::fsai:
                    return fsai;
                case EarlyUse::multigrid:
                    return multigrid;
            }
            return false;
        }
#endif

        std::atomic<bool> any = true, fsai, multigrid;
        bool ranks;
    };

    void load([[maybe_unused]] int device) {
#ifdef STIEFEL_HAS_CUDA
        loaded_ = std::async(std::launch::async, [device, state = state_] {
            if (n_cuda_devices() == 0) return;
            load_early_modules(device, [&](EarlyUse use) { return state->any && state->has(use); });
        });
#endif
    }

    std::shared_ptr<State> state_;
    std::future<void> loaded_;  // waited for by its destructor
};

}  // namespace stiefel::cli
