#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/memory.hpp"

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace stiefel {

struct RowStatistics;

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

/// What every SpMM kernel is asked:  Y = alpha A X + beta Y,  X and Y row-major panels of k columns (see
/// core/matrix_view.hpp) apart in memory. beta = 0 never reads Y.
template <class T>
struct SpmmArguments {
    const T* x = nullptr;  ///< n_cols x k, rows ldx elements apart
    Size ldx = 0;
    T* y = nullptr;  ///< n_rows x k, rows ldy elements apart
    Size ldy = 0;
    Index k = 0;
    T alpha = 1;
    T beta = 0;
};

/// What a product takes by a rung, as bytes that the memory could move in the same time: `factor` times those that the
/// format moves, padding included, and `row` for every row; on a device also `start` for the kernel and `step` for each
/// entry that a lane adds up one after the other, where that takes longest. Fitted to the tables of
/// docs/performance.md.
struct KernelCost {
    double factor = 1;
    double row = 0;
    double start = 0;
    double step = 0;
    double (*steps)(const RowStatistics& rows) = nullptr;  ///< null: rows are shared out evenly, or it matters little
};

/// One rung of a ladder: a kernel for a format on a backend. The lists of rungs, spmv_kernels(backend, matrix) and
/// spmm_kernels(backend, matrix), are the data that tests, `--kernel NAME` and the bench read, so a rung that is listed
/// is tested and measured.
template <class Backend, class Matrix, class Arguments>
struct SparseKernel {
    std::string_view name;         ///< "static", "balanced", ...
    std::string_view format;       ///< "csr", "ellpack", "sell"
    std::string_view description;  ///< one line: what this rung changes
    std::string_view source;       ///< where the method comes from; empty if it has no paper
    void (*run)(Backend&, const Matrix&, const Arguments&);
    /// Whether the automatic choice should try it on a matrix; null: always.
    bool (*may_win)(const Backend&, const Matrix&) = nullptr;
    KernelCost cost = {};  ///< what the automatic choice expects of it
};

/// T is the type of the vectors, in which sums are formed; the matrix may store its values in a narrower one.
template <class Backend, class Matrix, class T = typename Matrix::value_type>
using SpmvKernel = SparseKernel<Backend, Matrix, SpmvArguments<T>>;
template <class Backend, class Matrix>
using SpmmKernel = SparseKernel<Backend, Matrix, SpmmArguments<typename Matrix::value_type>>;

/// A backend and a matrix format that kernels are listed for, with vectors of T.
template <class Backend, class Matrix, class T = typename Matrix::value_type>
concept HasSpmvKernels = requires(const Backend& backend, const Matrix& a) {
    spmv_kernels(backend, a);
}
&&(std::is_same_v<T, typename Matrix::value_type> ||
   requires(const Backend& backend, const Matrix& a) { spmv_kernels(backend, a, std::type_identity<T>{}); });

/// The list of rungs for a matrix and vectors of T.
template <class T, class Backend, class Matrix>
requires HasSpmvKernels<Backend, Matrix, T>
auto spmv_kernels_under(const Backend& backend, const Matrix& a) {
    if constexpr (std::is_same_v<T, typename Matrix::value_type>) {
        return spmv_kernels(backend, a);
    } else {
        return spmv_kernels(backend, a, std::type_identity<T>{});
    }
}

template <class Backend, class Matrix>
concept HasSpmmKernels = requires(const Backend& backend, const Matrix& a) {
    spmm_kernels(backend, a);
};

/// The rung called `name` of a list. Throws InvalidArgument with the names there are.
template <class Kernel, std::size_t n>
const Kernel& find_in_list(std::span<const Kernel, n> kernels, std::string_view operation, std::string_view backend,
                           std::string_view name) {
    std::string names;
    for (const auto& kernel : kernels) {
        if (kernel.name == name) return kernel;
        names += names.empty() ? "" : ", ";
        names += kernel.name;
    }
    throw InvalidArgument(std::string(operation) + ": no kernel '" + std::string(name) + "' for " +
                          std::string(kernels.front().format) + " on " + std::string(backend) +
                          "; there are: " + names);
}

template <class Backend, class Matrix, class T = typename Matrix::value_type>
requires HasSpmvKernels<Backend, Matrix, T>
const SpmvKernel<Backend, Matrix, T>& find_kernel(const Backend& backend, const Matrix& a, std::string_view name) {
    return find_in_list(spmv_kernels_under<T>(backend, a), "spmv", Backend::name, name);
}

template <class Backend, class Matrix>
requires HasSpmmKernels<Backend, Matrix>
const SpmmKernel<Backend, Matrix>& find_spmm_kernel(const Backend& backend, const Matrix& a, std::string_view name) {
    return find_in_list(spmm_kernels(backend, a), "spmm", Backend::name, name);
}

}  // namespace stiefel
