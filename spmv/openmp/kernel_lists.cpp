#include "stiefel/spmv/openmp/kernels.hpp"

#include <array>

namespace stiefel {

using namespace openmp;

template <class T>
std::span<const SpmvKernel<OpenMP, HostCsr<T>>> spmv_kernels(const OpenMP&, const HostCsr<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostCsr<T>>;
    static constexpr std::array list{
        Kernel{"static", "csr", "rows in static shares of the threads", "", csr_static<T>},
        Kernel{"unrolled", "csr", "rows unrolled by four, entries asked for ahead", "", csr_unrolled<T>},
        Kernel{"balanced", "csr", "shares of equal entries; rows that cross their borders are put together in order",
               "Merrill and Garland 2016", csr_balanced<T>},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<OpenMP, HostEllpack<T>>> spmv_kernels(const OpenMP&, const HostEllpack<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostEllpack<T>>;
    static constexpr std::array list{
        Kernel{"static", "ellpack", "rows in static shares of the threads, padding included",
               "Grimes, Kincaid and Young 1979", ellpack_static<T>},
        Kernel{"ellpack-r", "ellpack", "row lengths are read, so that no work is done on padding",
               "Vazquez, Fernandez and Garzon 2011", ellpack_r<T>},
        Kernel{"4x2", "ellpack", "four rows by two columns at a time, padding included", "", ellpack_4x2<T>},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<OpenMP, HostSell<T>>> spmv_kernels(const OpenMP&, const HostSell<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostSell<T>>;
    static constexpr std::array list{
        Kernel{"static", "sell", "slices in static shares of the threads, one row at a time, no work on padding", "",
               sell_static<T>},
        Kernel{"simd", "sell", "the rows of a slice side by side in vector lanes",
               "Kreutzer, Hager, Wellein, Fehske and Bishop 2014", sell_simd<T>},
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
