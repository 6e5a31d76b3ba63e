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
    int device = -1;  ///< of CUDA; negative: the first. `automatic` with a device is `cuda`
};

/// Makes the backend that was chosen at run time and calls f with it: the one place where a run-time choice becomes a
/// type. `automatic` takes CUDA where there is a device, else OpenMP. Throws DeviceError if `cuda` is asked for and
/// cannot be had, InvalidArgument if a device is asked for and a backend that has none.
template <class F>
decltype(auto) with_backend(const BackendOptions& options, F&& f) {
    const bool names_device = options.device >= 0;
    require(!names_device || options.choice == BackendChoice::cuda || options.choice == BackendChoice::automatic,
            "with_backend: only the CUDA backend has devices");
    if (options.choice == BackendChoice::serial) {
        Serial backend;
        return std::forward<F>(f)(backend);
    }
#ifdef STIEFEL_HAS_CUDA
    const bool wants_cuda = options.choice == BackendChoice::cuda || names_device;
    if (wants_cuda || (options.choice == BackendChoice::automatic && n_cuda_devices() > 0)) {
        Cuda backend(names_device ? options.device : 0);
        return std::forward<F>(f)(backend);
    }
#else
    if (options.choice == BackendChoice::cuda || names_device) {
        throw DeviceError("this Stiefel was built without CUDA; --backend openmp runs on the cores of this machine");
    }
#endif
    OpenMP backend(options.threads);
    return std::forward<F>(f)(backend);
}

}  // namespace stiefel
