#include "stiefel/spmv/openmp/kernels.hpp"

#include <array>

namespace stiefel {

using namespace openmp;

template <class Stored, class T>
std::span<const SpmvKernel<OpenMP, HostCsr<Stored>, T>> spmv_kernels(const OpenMP&, const HostCsr<Stored>&,
                                                                     std::type_identity<T>) {
    using Kernel = SpmvKernel<OpenMP, HostCsr<Stored>, T>;
    static constexpr std::array list{
        Kernel{"static", "csr", "rows in static shares of the threads", "", csr_static<Stored, T>, nullptr,
               KernelCost{1.75, 71}},
        Kernel{"unrolled", "csr", "rows unrolled by four, entries asked for ahead", "", csr_unrolled<Stored, T>,
               nullptr, KernelCost{1.26, 13}},
        Kernel{"balanced", "csr", "shares of equal entries; rows that cross their borders are put together in order",
               "Merrill and Garland 2016", csr_balanced<Stored, T>, nullptr, KernelCost{1.26, 13}},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<OpenMP, HostEllpack<T>>> spmv_kernels(const OpenMP&, const HostEllpack<T>&) {
    using Kernel = SpmvKernel<OpenMP, HostEllpack<T>>;
    static constexpr std::array list{
        Kernel{"static", "ellpack", "rows in static shares of the threads, padding included",
               "Grimes, Kincaid and Young 1979", ellpack_static<T>, nullptr, KernelCost{1.7, 70}},
        Kernel{"ellpack-r", "ellpack", "row lengths are read, so that no work is done on padding",
               "Vazquez, Fernandez and Garzon 2011", ellpack_r<T>, nullptr, KernelCost{1.7}},
        Kernel{"4x2", "ellpack", "four rows by two columns at a time, padding included", "", ellpack_4x2<T>, nullptr,
               KernelCost{1.5}},
    };
    return list;
}

template <class Stored, class T>
std::span<const SpmvKernel<OpenMP, HostSell<Stored>, T>> spmv_kernels(const OpenMP&, const HostSell<Stored>&,
                                                                      std::type_identity<T>) {
    using Kernel = SpmvKernel<OpenMP, HostSell<Stored>, T>;
    static constexpr std::array list{
        Kernel{"static", "sell", "slices in static shares of the threads, one row at a time, no work on padding", "",
               sell_static<Stored, T>, nullptr, KernelCost{2.9, 12}},
        Kernel{"simd", "sell", "the rows of a slice side by side in vector lanes",
               "Kreutzer, Hager, Wellein, Fehske and Bishop 2014", sell_simd<Stored, T>, nullptr, KernelCost{1.16, 2}},
    };
    return list;
}

template <class Stored, class T>
std::span<const SpmvKernel<OpenMP, HostCompressedSell<Stored>, T>> spmv_kernels(const OpenMP&,
                                                                                const HostCompressedSell<Stored>&,
                                                                                std::type_identity<T>) {
    using Kernel = SpmvKernel<OpenMP, HostCompressedSell<Stored>, T>;
    static constexpr std::array list{
        Kernel{"simd", "compressed-sell", "the rows of a slice side by side; columns by diagonals or in 16 bits",
               "Kourtis, Goumas and Koziris 2008", compressed_sell_simd<Stored, T>, nullptr, KernelCost{1.3}},
    };
    return list;
}

template std::span<const SpmvKernel<OpenMP, HostEllpack<double>>> spmv_kernels(const OpenMP&,
                                                                               const HostEllpack<double>&);
template std::span<const SpmvKernel<OpenMP, HostEllpack<float>>> spmv_kernels(const OpenMP&, const HostEllpack<float>&);
template std::span<const SpmvKernel<OpenMP, HostCsr<double>, double>> spmv_kernels(const OpenMP&,
                                                                                   const HostCsr<double>&,
                                                                                   std::type_identity<double>);
template std::span<const SpmvKernel<OpenMP, HostCsr<float>, float>> spmv_kernels(const OpenMP&, const HostCsr<float>&,
                                                                                 std::type_identity<float>);
template std::span<const SpmvKernel<OpenMP, HostCsr<float>, double>> spmv_kernels(const OpenMP&, const HostCsr<float>&,
                                                                                  std::type_identity<double>);
template std::span<const SpmvKernel<OpenMP, HostSell<double>, double>> spmv_kernels(const OpenMP&,
                                                                                    const HostSell<double>&,
                                                                                    std::type_identity<double>);
template std::span<const SpmvKernel<OpenMP, HostSell<float>, float>> spmv_kernels(const OpenMP&, const HostSell<float>&,
                                                                                  std::type_identity<float>);
template std::span<const SpmvKernel<OpenMP, HostSell<float>, double>> spmv_kernels(const OpenMP&,
                                                                                   const HostSell<float>&,
                                                                                   std::type_identity<double>);
template std::span<const SpmvKernel<OpenMP, HostCompressedSell<double>, double>> spmv_kernels(
    const OpenMP&, const HostCompressedSell<double>&, std::type_identity<double>);
template std::span<const SpmvKernel<OpenMP, HostCompressedSell<float>, float>> spmv_kernels(
    const OpenMP&, const HostCompressedSell<float>&, std::type_identity<float>);
template std::span<const SpmvKernel<OpenMP, HostCompressedSell<float>, double>> spmv_kernels(
    const OpenMP&, const HostCompressedSell<float>&, std::type_identity<double>);

}  // namespace stiefel
