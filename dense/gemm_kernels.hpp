#pragma once

#include "stiefel/dense/gemm.hpp"

#include <span>
#include <string_view>

namespace stiefel {

/// A matrix that is read with any two strides: op() is resolved into them once, and kernels know one case only.
template <class T>
struct StridedMatrix {
    const T* data = nullptr;
    Size row_stride = 0;
    Size col_stride = 0;

    const T& operator()(Size i, Size j) const { return data[i * row_stride + j * col_stride]; }
};

/// What every GEMM kernel is asked:  C = alpha A B + beta C  with A m x k, B k x n, all checked. alpha = 0 arrives as
/// k = 0. beta = 0 must not read C.
template <class T>
struct GemmArguments {
    Index m = 0;
    Index n = 0;
    Index k = 0;
    T alpha = 1;
    T beta = 0;
    StridedMatrix<T> a;
    StridedMatrix<T> b;
    T* c = nullptr;
    Size ldc = 0;

    /// Puts the finished sum of products into its place.
    void store(Size i, Size j, T sum) const {
        T& place = c[i * ldc + j];
        place = beta == T{0} ? alpha * sum : alpha * sum + beta * place;
    }
};

/// Checks as gemm() documents.
template <class T, class Memory>
GemmArguments<T> gemm_arguments(Op op_a, Op op_b, T alpha, MatrixView<const T, Memory> a, MatrixView<const T, Memory> b,
                                T beta, MatrixView<T, Memory> c);

/// How OpenMP deals out the iterations of the parallel loop; `none` leaves the clause out.
enum class Schedule { none, fixed, dynamic, guided };

std::string_view to_string(Schedule schedule);

/// What a rung leaves open. A rung ignores what does not concern it.
struct GemmTuning {
    Index tile = 0;                      ///< edge of the square tiles of `tiled`; 0 = the rung's own choice
    Schedule schedule = Schedule::none;  ///< of the OpenMP rungs naive, transposed and tiled
    int chunk = 0;                       ///< iterations dealt out at once; 0 = OpenMP's own choice
};

/// One rung of the ladder. Tests, `stiefel-bench gemm` and `--kernel NAME` read the lists, so a rung that is listed is
/// tested and measured.
template <class Backend, class T>
struct GemmKernel {
    std::string_view name;
    std::string_view description;  ///< one line: what this rung changes
    std::string_view source;       ///< where the method comes from; empty if it has no paper
    void (*run)(Backend&, const GemmArguments<T>&, const GemmTuning&);
    std::string_view precision = {};  ///< "tf32": operands are rounded to 11 bits; empty: T's own, as for the default
};

/// The rungs in the order of the ladder. The default is the last one in T's own precision.
template <class T>
std::span<const GemmKernel<Serial, T>> gemm_kernels(const Serial&);
template <class T>
std::span<const GemmKernel<OpenMP, T>> gemm_kernels(const OpenMP&);
template <class T>
std::span<const GemmKernel<Cuda, T>> gemm_kernels(const Cuda&);

}  // namespace stiefel
