#include "stiefel/spmv/openmp/kernels.hpp"

#include <array>

namespace stiefel {

using namespace openmp;

template <class T>
std::span<const SpmvKernel<OpenMP, HostCsr<T>>> spmv_kernels(const OpenMP&, const HostCsr<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostCsr<T>>;
    static constexpr std::array list{
        Kernel{"static", "csr", "rows in static shares of the threads", "", csr_static<T>},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<OpenMP, HostEllpack<T>>> spmv_kernels(const OpenMP&, const HostEllpack<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostEllpack<T>>;
    static constexpr std::array list{
        Kernel{"ellpack-r", "ellpack", "row lengths are read, so that no work is done on padding",
               "Vazquez, Fernandez and Garzon 2011", ellpack_r<T>},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<OpenMP, HostSell<T>>> spmv_kernels(const OpenMP&, const HostSell<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostSell<T>>;
    static constexpr std::array list{
        Kernel{"static", "sell", "slices in static shares of the threads, one row at a time", "", sell_static<T>},
    };
    return list;
}

template std::span<const SpmvKernel<OpenMP, HostCsr<double>>> spmv_kernels(const OpenMP&, const HostCsr<double>&);
template std::span<const SpmvKernel<OpenMP, HostCsr<float>>> spmv_kernels(const OpenMP&, const HostCsr<float>&);
template std::span<const SpmvKernel<OpenMP, HostEllpack<double>>> spmv_kernels(const OpenMP&,
                                                                               const HostEllpack<double>&);
template std::span<const SpmvKernel<OpenMP, HostEllpack<float>>> spmv_kernels(const OpenMP&, const HostEllpack<float>&);
template std::span<const SpmvKernel<OpenMP, HostSell<double>>> spmv_kernels(const OpenMP&, const HostSell<double>&);
template std::span<const SpmvKernel<OpenMP, HostSell<float>>> spmv_kernels(const OpenMP&, const HostSell<float>&);

}  // namespace stiefel
