#include "stiefel/spmv/cuda/bins.hpp"
#include "stiefel/spmv/cuda/kernels.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <array>

namespace stiefel {

using namespace cuda;

template <class T>
std::span<const SpmvKernel<Cuda, DeviceCsr<T>>> spmv_kernels(const Cuda&, const DeviceCsr<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceCsr<T>>;
    static constexpr std::array list{
        Kernel{"scalar", "csr", "a thread a row", "Bell and Garland 2009", csr_scalar<T>},
        Kernel{"vector", "csr", "a warp a row", "Bell and Garland 2009", csr_vector<T>},
        Kernel{"subwarp", "csr", "2 to 32 lanes a row, from the mean row length", "Reguly and Giles 2012",
               csr_subwarp<T>},
        Kernel{"staged", "csr", "values and columns go through shared memory in the order of memory", "",
               csr_staged<T>},
        Kernel{"merge", "csr", "equal shares of rows and nonzeros together, whatever the rows are",
               "Merrill and Garland 2016", csr_merge<T>},
        Kernel{"binned", "csr", "x is read from shared memory by strips of columns and handed to the rows in bins",
               "Beamer, Asanovic and Patterson 2017", csr_binned<T>, bins_may_win<T>},
        Kernel{"adaptive", "csr", "equal shares of nonzeros in whole rows; long rows are split over blocks",
               "Greathouse and Daga 2014", csr_adaptive<T>},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<Cuda, DeviceEllpack<T>>> spmv_kernels(const Cuda&, const DeviceEllpack<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceEllpack<T>>;
    static constexpr std::array list{
        Kernel{"block", "ellpack", "a block of threads for a block of rows (made for row-major)", "", ellpack_block<T>},
        Kernel{"subwarp", "ellpack", "2 to 32 lanes a row, from the width (made for row-major)", "",
               ellpack_subwarp<T>},
        Kernel{"thread", "ellpack", "a thread a row (made for column-major)", "Bell and Garland 2009",
               ellpack_thread<T>},
        Kernel{"ellpack-r", "ellpack", "a thread a row that stops at the row's length (made for column-major)",
               "Vazquez, Fernandez and Garzon 2011", ellpack_r<T>},
    };
    return list;
}

template <class T>
std::span<const SpmvKernel<Cuda, DeviceSell<T>>> spmv_kernels(const Cuda&, const DeviceSell<T>&) {
    using Kernel = SpmvKernel<Cuda, DeviceSell<T>>;
    static constexpr std::array list{
        Kernel{"thread", "sell", "a warp a slice, a thread a row", "Kreutzer, Hager, Wellein, Fehske and Bishop 2014",
               sell_thread<T>},
    };
    return list;
}

template std::span<const SpmvKernel<Cuda, DeviceCsr<double>>> spmv_kernels(const Cuda&, const DeviceCsr<double>&);
template std::span<const SpmvKernel<Cuda, DeviceCsr<float>>> spmv_kernels(const Cuda&, const DeviceCsr<float>&);
template std::span<const SpmvKernel<Cuda, DeviceEllpack<double>>> spmv_kernels(const Cuda&,
                                                                               const DeviceEllpack<double>&);
template std::span<const SpmvKernel<Cuda, DeviceEllpack<float>>> spmv_kernels(const Cuda&, const DeviceEllpack<float>&);
template std::span<const SpmvKernel<Cuda, DeviceSell<double>>> spmv_kernels(const Cuda&, const DeviceSell<double>&);
template std::span<const SpmvKernel<Cuda, DeviceSell<float>>> spmv_kernels(const Cuda&, const DeviceSell<float>&);

}  // namespace stiefel
