#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace stiefel {

/// The vector type that a backend's kernels take.
template <class B, class T>
using VectorOf = Vector<T, typename B::memory>;

enum class BackendChoice { automatic, serial, openmp };

struct BackendOptions {
    BackendChoice choice = BackendChoice::automatic;
    int threads = 0;  ///< of OpenMP; 0 = all cores this process may use
};

/// Makes the backend that was chosen at run time and calls f with it: the one place where a run-time choice becomes a
/// type. `automatic` takes OpenMP.
template <class F>
decltype(auto) with_backend(const BackendOptions& options, F&& f) {
    if (options.choice == BackendChoice::serial) {
        Serial backend;
        return std::forward<F>(f)(backend);
    }
    OpenMP backend(options.threads);
    return std::forward<F>(f)(backend);
}

}  // namespace stiefel
