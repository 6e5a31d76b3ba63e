#include "stiefel/spmv/cuda/spmm/kernels.hpp"

#include <array>

namespace stiefel {

using namespace cuda;

template <class T>
std::span<const SpmmKernel<Cuda, DeviceCsr<T>>> spmm_kernels(const Cuda&, const DeviceCsr<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceCsr<T>>;
    static constexpr std::array list{
        Kernel{"element", "csr", "a thread an element of Y, its sum in a register", "", spmm_element<DeviceCsr<T>>},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<Cuda, DeviceEllpack<T>>> spmm_kernels(const Cuda&, const DeviceEllpack<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceEllpack<T>>;
    static constexpr std::array list{
        Kernel{"element", "ellpack", "a thread an element of Y, no work on padding", "",
               spmm_element<DeviceEllpack<T>>},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<Cuda, DeviceSell<T>>> spmm_kernels(const Cuda&, const DeviceSell<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceSell<T>>;
    static constexpr std::array list{
        Kernel{"element", "sell", "a thread an element of Y, no work on padding", "", spmm_element<DeviceSell<T>>},
    };
    return list;
}

template std::span<const SpmmKernel<Cuda, DeviceCsr<double>>> spmm_kernels(const Cuda&, const DeviceCsr<double>&);
template std::span<const SpmmKernel<Cuda, DeviceCsr<float>>> spmm_kernels(const Cuda&, const DeviceCsr<float>&);
template std::span<const SpmmKernel<Cuda, DeviceEllpack<double>>> spmm_kernels(const Cuda&,
                                                                               const DeviceEllpack<double>&);
template std::span<const SpmmKernel<Cuda, DeviceEllpack<float>>> spmm_kernels(const Cuda&, const DeviceEllpack<float>&);
template std::span<const SpmmKernel<Cuda, DeviceSell<double>>> spmm_kernels(const Cuda&, const DeviceSell<double>&);
template std::span<const SpmmKernel<Cuda, DeviceSell<float>>> spmm_kernels(const Cuda&, const DeviceSell<float>&);

}  // namespace stiefel
