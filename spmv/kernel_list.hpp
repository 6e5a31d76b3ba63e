#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/memory.hpp"

#include <string>
#include <string_view>

namespace stiefel {

/// What every SpMV kernel is asked:  y = alpha A x + beta y,  and if dot is not null also  *dot = <x, y>  (A square).
/// beta = 0 never reads y. x and y must not overlap.
template <class T>
struct SpmvArguments {
    const T* x = nullptr;
    T* y = nullptr;
    T alpha = 1;
    T beta = 0;
    double* dot = nullptr;  ///< in the backend's memory
};

/// One rung of a ladder: a kernel for a format on a backend. The lists of rungs, spmv_kernels(backend, matrix), are the
/// data that tests, `--kernel NAME` and the bench read, so a rung that is listed is tested and measured.
template <class Backend, class Matrix>
struct SpmvKernel {
    using T = typename Matrix::value_type;

    std::string_view name;         ///< "static", "balanced", ...
    std::string_view format;       ///< "csr", "ellpack", "sell"
    std::string_view description;  ///< one line: what this rung changes
    std::string_view source;       ///< where the method comes from; empty if it has no paper
    void (*run)(Backend&, const Matrix&, const SpmvArguments<T>&);
};

/// A backend and a matrix format that kernels are listed for.
template <class Backend, class Matrix>
concept HasSpmvKernels = requires(const Backend& backend, const Matrix& a) {
    spmv_kernels(backend, a);
};

/// The rung called `name`. Throws InvalidArgument with the names there are.
template <class Backend, class Matrix>
requires HasSpmvKernels<Backend, Matrix>
const SpmvKernel<Backend, Matrix>& find_kernel(const Backend& backend, const Matrix& a, std::string_view name) {
    const auto kernels = spmv_kernels(backend, a);
    std::string names;
    for (const auto& kernel : kernels) {
        if (kernel.name == name) return kernel;
        names += names.empty() ? "" : ", ";
        names += kernel.name;
    }
    throw InvalidArgument("spmv: no kernel '" + std::string(name) + "' for " + std::string(kernels.front().format) +
                          " on " + Backend::name + "; there are: " + names);
}

}  // namespace stiefel
