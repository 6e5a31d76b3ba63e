#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"
#include "stiefel/core/work.hpp"

#include <type_traits>

namespace stiefel {

/// Matrix times matrix, row-major.
///     C = alpha op(A) op(B) + beta C     op(A): m x k, op(B): k x n, C: m x n, any of them 0
/// beta = 0 never reads C, alpha = 0 reads neither A nor B: what they hold, NaN included, does not spread.
/// Throws InvalidArgument, naming the argument, if sizes do not fit, a leading dimension is too small, the extent of a
/// matrix cannot be counted in 63 bits, or C overlaps A or B.
/// Each element of C is summed in an order that depends on sizes and machine alone, so results repeat bit for bit on
/// any number of threads; |error| <= (k + 2) eps |alpha| |op(A)| |op(B)| + 2 eps |beta C| (Higham 2002, section 3.5).
/// On CUDA operands that are transposed or not aligned to 16 bytes are copied first, in the backend's memory.
/// 2 m n k flops. Takes the default kernel of the backend; gemm_kernels() in gemm_kernels.hpp lists all of them.
template <class T>
void gemm(Serial&, Op op_a, Op op_b, std::type_identity_t<T> alpha, HostMatrix<const std::type_identity_t<T>> a,
          HostMatrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, HostMatrix<T> c);
template <class T>
void gemm(OpenMP&, Op op_a, Op op_b, std::type_identity_t<T> alpha, HostMatrix<const std::type_identity_t<T>> a,
          HostMatrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, HostMatrix<T> c);
template <class T>
void gemm(Cuda&, Op op_a, Op op_b, std::type_identity_t<T> alpha, DeviceMatrix<const std::type_identity_t<T>> a,
          DeviceMatrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, DeviceMatrix<T> c);

/// Each matrix moved once, which large products come close to only in cache.
template <class T>
Work gemm_work(Size m, Size n, Size k) {
    const auto product = [](Size a, Size b) { return static_cast<double>(a) * static_cast<double>(b); };
    return {static_cast<double>(sizeof(T)) * (product(m, k) + product(k, n) + 2 * product(m, n)),
            2 * product(m, n) * static_cast<double>(k)};
}

}  // namespace stiefel
