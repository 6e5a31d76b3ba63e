#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace stiefel {

/// The vector type that a backend's kernels take.
template <class B, class T>
using VectorOf = Vector<T, typename B::memory>;

enum class BackendChoice { automatic, serial, openmp, cuda };

struct BackendOptions {
    BackendChoice choice = BackendChoice::automatic;
    int threads = 0;  ///< of OpenMP; 0 = all cores this process may use
};

/// Makes the backend that was chosen at run time and calls f with it: the one place where a run-time choice becomes a
/// type. `automatic` takes CUDA where there is a device, else OpenMP. Throws DeviceError if `cuda` is asked for and
/// cannot be had.
template <class F>
decltype(auto) with_backend(const BackendOptions& options, F&& f) {
    if (options.choice == BackendChoice::serial) {
        Serial backend;
        return std::forward<F>(f)(backend);
    }
#ifdef STIEFEL_HAS_CUDA
    const bool wants_cuda = options.choice == BackendChoice::cuda;
    if (wants_cuda || (options.choice == BackendChoice::automatic && n_cuda_devices() > 0)) {
        Cuda backend;
        return std::forward<F>(f)(backend);
    }
#else
    if (options.choice == BackendChoice::cuda) {
        throw DeviceError("this Stiefel was built without CUDA; --backend openmp runs on the cores of this machine");
    }
#endif
    OpenMP backend(options.threads);
    return std::forward<F>(f)(backend);
}

}  // namespace stiefel
