#include "stiefel/dense/gemm.hpp"
#include "stiefel/dense/cuda/gemm_rungs.hpp"

#include <array>

namespace stiefel {

using namespace cuda;

template <>
std::span<const GemmKernel<Cuda, double>> gemm_kernels(const Cuda&) {
    using Kernel = GemmKernel<Cuda, double>;
    static constexpr std::array kernels{
        Kernel{"naive", "a thread an element of C, operands from global memory", "", gemm_naive<double>},
        Kernel{"tiled", "tiles of A and B through shared memory", "CUDA C++ Programming Guide", gemm_tiled<double>},
        Kernel{"register", "8 x 8 sums a thread in registers, vector loads", "Volkov and Demmel 2008",
               gemm_register<double>},
        Kernel{"pipelined", "asynchronous copies several tiles ahead, permuted shared memory", "",
               gemm_pipelined<double>},
        Kernel{"tensor", "the same on the matrix units (DMMA)", "", gemm_tensor},
    };
    return kernels;
}

template <>
std::span<const GemmKernel<Cuda, float>> gemm_kernels(const Cuda& backend) {
    using Kernel = GemmKernel<Cuda, float>;
    static constexpr std::array kernels{
        Kernel{"naive", "a thread an element of C, operands from global memory", "", gemm_naive<float>},
        Kernel{"tiled", "tiles of A and B through shared memory", "CUDA C++ Programming Guide", gemm_tiled<float>},
        Kernel{"register", "8 x 8 sums a thread in registers, vector loads", "Volkov and Demmel 2008",
               gemm_register<float>},
        Kernel{"pipelined", "asynchronous copies several tiles ahead, permuted shared memory", "",
               gemm_pipelined<float>},
        Kernel{"tf32", "the same on the matrix units, operands rounded to 11 bits", "", gemm_tf32, "tf32"},
        Kernel{"tf32-warpgroup", "tf32 by Hopper's warpgroup instructions, operands packed first, bulk copies", "",
               gemm_warpgroup, "tf32"},
    };
    const bool is_hopper = backend.device().major == 9;
    return std::span(kernels).first(is_hopper ? kernels.size() : kernels.size() - 1);
}

template <class T>
void gemm(Cuda& backend, Op op_a, Op op_b, std::type_identity_t<T> alpha, DeviceMatrix<const std::type_identity_t<T>> a,
          DeviceMatrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, DeviceMatrix<T> c) {
    const GemmArguments<T> arguments = gemm_arguments(op_a, op_b, alpha, a, b, beta, c);
    if constexpr (std::is_same_v<T, double>) {
        gemm_tensor(backend, arguments, {});
    } else {
        gemm_pipelined(backend, arguments, {});
    }
}

template void gemm(Cuda&, Op, Op, double, DeviceMatrix<const double>, DeviceMatrix<const double>, double,
                   DeviceMatrix<double>);
template void gemm(Cuda&, Op, Op, float, DeviceMatrix<const float>, DeviceMatrix<const float>, float,
                   DeviceMatrix<float>);

}  // namespace stiefel
