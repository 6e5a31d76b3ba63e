#pragma once

#include "stiefel/core/backend.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

namespace stiefel {

/// Makes the backend that was chosen at run time while the caller does something else: a CUDA device takes some tenths
/// of a second to start, which is time to read a file in. Otherwise as with_backend.
class BackendStart {
public:
    /// warm_up(cuda) is called with a device once it is there, still beside the caller: kernels are loaded when they
    /// are first used, and what it uses will be there. What it throws, with_backend throws.
    template <class F>
    BackendStart(const BackendOptions& options, [[maybe_unused]] F&& warm_up) : options_(options) {
#ifdef STIEFEL_HAS_CUDA
        if (!may_be_cuda(options)) return;
        cuda_ = std::async([options, warm_up = std::forward<F>(warm_up)] {
            auto cuda = start_cuda(options);
            if (cuda) warm_up(*cuda);
            return cuda;
        });
#endif
    }
    explicit BackendStart(const BackendOptions& options) : BackendStart(options, [](auto&) {}) {}

    /// Waits for the backend and calls f with it. Throws what with_backend throws, and may be called once.
    template <class F>
    decltype(auto) with_backend(F&& f) {
#ifdef STIEFEL_HAS_CUDA
        if (cuda_.valid()) {
            if (const std::unique_ptr<Cuda> cuda = cuda_.get()) return std::forward<F>(f)(*cuda);
            options_.choice = BackendChoice::openmp;
        }
#endif
        return stiefel::with_backend(options_, std::forward<F>(f));
    }

#ifdef STIEFEL_HAS_CUDA
    /// In place of with_backend, where a device was asked for: what it would call f with.
    std::unique_ptr<Cuda> take_cuda() {
        return cuda_.get();
    }
#endif

    /// Whether a device is started, if there is one and this build knows of any.
    static bool may_be_cuda(const BackendOptions& options) {
        return options.choice == BackendChoice::cuda || options.choice == BackendChoice::automatic;
    }

private:
    BackendOptions options_;
#ifdef STIEFEL_HAS_CUDA
    /// Null where nobody asked for a device and there is none.
    static std::unique_ptr<Cuda> start_cuda(const BackendOptions& options) {
        const bool is_asked_for = options.choice == BackendChoice::cuda || options.device >= 0;
        if (!is_asked_for && n_cuda_devices() == 0) return nullptr;
        return std::make_unique<Cuda>(std::max(options.device, 0));
    }

    std::future<std::unique_ptr<Cuda>> cuda_;
#endif
};

}  // namespace stiefel
