#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stiefel::bench {

/// What the subcommands on sparse matrices are asked with --backend cuda:
///     [--type double|single] [--folder FOLDER] [PART OF A PROBLEM'S NAME]
struct CudaSetting {
    bool single = false;
    std::string folder = {};  ///< of Matrix Market files, in place of the problems
    std::string part = {};
};

/// Throws InvalidArgument that names the argument.
CudaSetting parse_cuda_setting(const std::vector<std::string>& arguments);

struct CudaProblem {
    std::string name;
    std::function<HostCsr<double>(OpenMP&)> make;
    bool large = true;      ///< worth a measurement of SpMV
    bool symmetric = true;  ///< positive definite: CG is measured
};

/// Those whose name has `part` in it.
std::vector<CudaProblem> cuda_problems(const std::string& part);

/// Matrix Market files of a folder, by name.
std::vector<std::filesystem::path> matrix_files(const std::string& folder);

/// A device, the host that prepares its operands, and the rate of its memory, which it prints: figures are shares of
/// it.
struct CudaMachine {
    CudaMachine();
    Cuda backend;
    OpenMP host;
    double bandwidth;
};

/// Whose a kernel is: one of our rungs, the one that is chosen, or the one that it is compared to.
enum class Whose { ours, chosen, cusparse };

/// The matrix with values of type T.
template <class T>
HostCsr<T> converted(HostCsr<double> a) {
    if constexpr (std::is_same_v<T, double>) {
        return a;
    } else {
        HostCsr<T> b{.n_rows = a.n_rows, .n_cols = a.n_cols};
        b.row_ptr = std::move(a.row_ptr);
        b.col_idx = std::move(a.col_idx);
        b.values = HostVector<T>(a.values.size());
        for (Size i = 0; i < b.values.size(); ++i) b.values[i] = static_cast<T>(a.values[i]);
        return b;
    }
}

/// n numbers between 0.5 and 1.5.
template <class T>
DeviceVector<T> numbers(Cuda& backend, Size n) {
    HostVector<T> v(n);
    for (Size i = 0; i < n; ++i) v[i] = static_cast<T>(0.5 + static_cast<double>((i * 7919) % 1000) / 1000);
    DeviceVector<T> there(backend, n);
    upload(backend, v, there);
    return there;
}

}  // namespace stiefel::bench
