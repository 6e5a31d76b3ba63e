#include "stiefel/spmv/openmp/spmm/kernels.hpp"

#include <array>

namespace stiefel {

using namespace openmp;

template <class T>
std::span<const SpmmKernel<OpenMP, HostCsr<T>>> spmm_kernels(const OpenMP&, const HostCsr<T>&) {
    using Kernel = SpmmKernel<OpenMP, HostCsr<T>>;
    static constexpr std::array list{
        Kernel{"static", "csr", "rows in static shares of the threads, in multiples of 16", "",
               spmm_static<HostCsr<T>>},
        Kernel{"collapsed", "csr", "rows and columns as one loop: an element of Y at a time", "",
               spmm_collapsed<HostCsr<T>>},
        Kernel{"balanced", "csr", "shares of equal nonzeros, in whole rows", "", spmm_balanced<HostCsr<T>>},
        Kernel{"simd", "csr", "a row's sums in vector registers, code for each k; shares of equal nonzeros",
               "Yang, Buluc and Owens 2018", spmm_simd<HostCsr<T>>, nullptr, KernelCost{1.3}},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<OpenMP, HostEllpack<T>>> spmm_kernels(const OpenMP&, const HostEllpack<T>&) {
    using Kernel = SpmmKernel<OpenMP, HostEllpack<T>>;
    static constexpr std::array list{
        Kernel{"padded", "ellpack", "rows in static shares of the threads, padding included",
               "Grimes, Kincaid and Young 1979", spmm_padded<T>},
        Kernel{"ellpack-r", "ellpack", "row lengths are read, so that no work is done on padding",
               "Vazquez, Fernandez and Garzon 2011", spmm_static<HostEllpack<T>>},
        Kernel{"simd", "ellpack", "a row's sums in vector registers, code for each k", "", spmm_simd<HostEllpack<T>>},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<OpenMP, HostSell<T>>> spmm_kernels(const OpenMP&, const HostSell<T>&) {
    using Kernel = SpmmKernel<OpenMP, HostSell<T>>;
    static constexpr std::array list{
        Kernel{"static", "sell", "slots in static shares of the threads, no work on padding", "",
               spmm_static<HostSell<T>>},
        Kernel{"simd", "sell", "a row's sums in vector registers, code for each k", "", spmm_simd<HostSell<T>>, nullptr,
               KernelCost{1.5}},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<OpenMP, HostCompressedSell<T>>> spmm_kernels(const OpenMP&, const HostCompressedSell<T>&) {
    using Kernel = SpmmKernel<OpenMP, HostCompressedSell<T>>;
    static constexpr std::array list{
        Kernel{"simd", "compressed-sell", "the sums of eight rows in vector registers", "", spmm_compressed<T>, nullptr,
               KernelCost{2.5}},
    };
    return list;
}

template std::span<const SpmmKernel<OpenMP, HostCsr<double>>> spmm_kernels(const OpenMP&, const HostCsr<double>&);
template std::span<const SpmmKernel<OpenMP, HostCsr<float>>> spmm_kernels(const OpenMP&, const HostCsr<float>&);
template std::span<const SpmmKernel<OpenMP, HostEllpack<double>>> spmm_kernels(const OpenMP&,
                                                                               const HostEllpack<double>&);
template std::span<const SpmmKernel<OpenMP, HostEllpack<float>>> spmm_kernels(const OpenMP&, const HostEllpack<float>&);
template std::span<const SpmmKernel<OpenMP, HostSell<double>>> spmm_kernels(const OpenMP&, const HostSell<double>&);
template std::span<const SpmmKernel<OpenMP, HostSell<float>>> spmm_kernels(const OpenMP&, const HostSell<float>&);
template std::span<const SpmmKernel<OpenMP, HostCompressedSell<double>>> spmm_kernels(
    const OpenMP&, const HostCompressedSell<double>&);
template std::span<const SpmmKernel<OpenMP, HostCompressedSell<float>>> spmm_kernels(const OpenMP&,
                                                                                     const HostCompressedSell<float>&);

}  // namespace stiefel
