#include "stiefel/spmv/cuda/bins.hpp"
#include "stiefel/spmv/cuda/kernel_names.hpp"
#include "stiefel/spmv/cuda/kernels.hpp"
#include "stiefel/spmv/cuda/lanes.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <array>

namespace stiefel {

using namespace cuda;

// Costs: fitted to 26 trials, most of them of real matrices that fit into the cache of an H200 (a microsecond is 4 MB
// there), and to the ladders of docs/performance.md. The kernel that they rank first took 1.04 times the fastest in the
// mean.

namespace {

// The same where a row has a warp, or the lanes that with_lanes() gives it.

double steps_of(Index row, Size lanes) {
    return static_cast<double>((row + lanes - 1) / lanes);
}
double of_a_warp(const RowStatistics& rows) {
    return steps_of(rows.longest, 32);
}
double of_lanes_for_the_mean(const RowStatistics& rows) {
    double steps = 0;
    with_lanes(static_cast<Size>(rows.mean), 1, [&](auto lanes) { steps = steps_of(rows.longest, lanes); });
    return steps;
}
double of_lanes_for_the_longest(const RowStatistics& rows) {
    double steps = 0;
    with_lanes(rows.longest, 1, [&](auto lanes) { steps = steps_of(rows.longest, lanes); });
    return steps;
}

/// The layouts that ELLPACK's kernels are made for.
template <class T>
bool by_rows(const Cuda&, const DeviceEllpack<T>& a) {
    return a.layout == EllpackLayout::row_major;
}
template <class T>
bool by_columns(const Cuda&, const DeviceEllpack<T>& a) {
    return a.layout == EllpackLayout::column_major;
}

// The lists; a device is not needed to read them.

template <class T>
std::span<const SpmvKernel<Cuda, DeviceCsr<T>>> listed_for(const DeviceCsr<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceCsr<T>>;
    static constexpr std::array list{
        Kernel{"scalar", "csr", "a thread a row", "Bell and Garland 2009", csr_scalar<T>, nullptr,
               KernelCost{2.5, 0, 4.3e6, 5.7e5, of_one_lane}},
        Kernel{"vector", "csr", "a warp a row", "Bell and Garland 2009", csr_vector<T>, nullptr,
               KernelCost{1.5, 835, 6.1e6, 3.7e5, of_a_warp}},
        Kernel{"subwarp", "csr", "2 to 32 lanes a row, from the mean row length", "Reguly and Giles 2012",
               csr_subwarp<T>, nullptr, KernelCost{1.5, 18, 5.6e6, 3.7e5, of_lanes_for_the_mean}},
        Kernel{"staged", "csr", "values and columns go through shared memory in the order of memory", "", csr_staged<T>,
               nullptr, KernelCost{1.35, 12, 5.7e6, 6.7e5, of_one_lane}},
        Kernel{"merge", "csr", "equal shares of rows and nonzeros together, whatever the rows are",
               "Merrill and Garland 2016", csr_merge<T>, nullptr, KernelCost{1.6, 62, 2.8e7}},
        Kernel{"binned", "csr", "x is read from shared memory by strips of columns and handed to the rows in bins",
               "Beamer, Asanovic and Patterson 2017", csr_binned<T>, bins_may_win<T>, KernelCost{1.45, 11, 2.8e7}},
        Kernel{"adaptive", "csr", "equal shares of nonzeros in whole rows; long rows are split over blocks",
               "Greathouse and Daga 2014", csr_adaptive<T>, nullptr, KernelCost{1.35, 11, 1.4e7}},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<Cuda, DeviceEllpack<T>>> listed_for(const DeviceEllpack<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceEllpack<T>>;
    static constexpr std::array list{
        Kernel{"block", "ellpack", "a block of threads for a block of rows (made for row-major)", "", ellpack_block<T>,
               by_rows<T>, KernelCost{2, 6, 7.9e6, 8e4, of_one_lane}},
        Kernel{"subwarp", "ellpack", "2 to 32 lanes a row, from the width (made for row-major)", "", ellpack_subwarp<T>,
               by_rows<T>, KernelCost{1.5, 14, 6.5e6, 8e4, of_lanes_for_the_longest}},
        Kernel{"thread", "ellpack", "a thread a row (made for column-major)", "Bell and Garland 2009",
               ellpack_thread<T>, by_columns<T>, KernelCost{1.3, 0, 5.4e6, 2.8e5, of_one_lane}},
        Kernel{"ellpack-r", "ellpack", "a thread a row that stops at the row's length (made for column-major)",
               "Vazquez, Fernandez and Garzon 2011", ellpack_r<T>, by_columns<T>,
               KernelCost{1.3, 0, 5.7e6, 2.7e5, of_one_lane}},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<Cuda, DeviceSell<T>>> listed_for(const DeviceSell<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceSell<T>>;
    static constexpr std::array list{
        Kernel{"thread", "sell", "a warp a slice, a thread a row", "Kreutzer, Hager, Wellein, Fehske and Bishop 2014",
               sell_thread<T>, nullptr, KernelCost{1, 0, 6.1e6, 3.7e5, of_one_lane}},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<Cuda, DeviceCompressedSell<T>>> listed_for(const DeviceCompressedSell<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceCompressedSell<T>>;
    static constexpr std::array list{
        Kernel{"warp", "compressed-sell", "a warp a slice, whose lanes hand each other what they share of the columns",
               "Kourtis, Goumas and Koziris 2008", compressed_sell_warp<T>, nullptr,
               KernelCost{1, 0, 6.1e6, 3.7e5, of_one_lane}},
    };
    return list;
}

template <class Matrix>
void append_names(const Matrix& like, std::vector<std::string_view>& names) {
    for (const auto& kernel : listed_for(like)) names.push_back(kernel.name);
}

}  // namespace

template <class T>
std::span<const SpmvKernel<Cuda, DeviceCsr<T>>> spmv_kernels(const Cuda&, const DeviceCsr<T>& a) {
    return listed_for(a);
}
template <class T>
std::span<const SpmvKernel<Cuda, DeviceEllpack<T>>> spmv_kernels(const Cuda&, const DeviceEllpack<T>& a) {
    return listed_for(a);
}
template <class T>
std::span<const SpmvKernel<Cuda, DeviceSell<T>>> spmv_kernels(const Cuda&, const DeviceSell<T>& a) {
    return listed_for(a);
}
template <class T>
std::span<const SpmvKernel<Cuda, DeviceCompressedSell<T>>> spmv_kernels(const Cuda&, const DeviceCompressedSell<T>& a) {
    return listed_for(a);
}

void cuda::append_spmv_kernel_names(std::vector<std::string_view>& names) {
    append_names(DeviceCsr<double>(), names);
    append_names(DeviceSell<double>(), names);
    append_names(DeviceCompressedSell<double>(), names);
    append_names(DeviceEllpack<double>(), names);
}

template std::span<const SpmvKernel<Cuda, DeviceCsr<double>>> spmv_kernels(const Cuda&, const DeviceCsr<double>&);
template std::span<const SpmvKernel<Cuda, DeviceCsr<float>>> spmv_kernels(const Cuda&, const DeviceCsr<float>&);
template std::span<const SpmvKernel<Cuda, DeviceEllpack<double>>> spmv_kernels(const Cuda&,
                                                                               const DeviceEllpack<double>&);
template std::span<const SpmvKernel<Cuda, DeviceEllpack<float>>> spmv_kernels(const Cuda&, const DeviceEllpack<float>&);
template std::span<const SpmvKernel<Cuda, DeviceSell<double>>> spmv_kernels(const Cuda&, const DeviceSell<double>&);
template std::span<const SpmvKernel<Cuda, DeviceSell<float>>> spmv_kernels(const Cuda&, const DeviceSell<float>&);
template std::span<const SpmvKernel<Cuda, DeviceCompressedSell<double>>> spmv_kernels(
    const Cuda&, const DeviceCompressedSell<double>&);
template std::span<const SpmvKernel<Cuda, DeviceCompressedSell<float>>> spmv_kernels(
    const Cuda&, const DeviceCompressedSell<float>&);

}  // namespace stiefel
