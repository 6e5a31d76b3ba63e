#include "stiefel/spmv/cuda/lanes.hpp"
#include "stiefel/spmv/cuda/spmm/kernels.hpp"

#include "stiefel/spmv/row_statistics.hpp"

#include <array>

namespace stiefel {

using namespace cuda;

template <class T>
std::span<const SpmmKernel<Cuda, DeviceCsr<T>>> spmm_kernels(const Cuda&, const DeviceCsr<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceCsr<T>>;
    static constexpr std::array list{
        Kernel{"element-global", "csr", "a thread an element of Y, which it adds to in memory", "",
               spmm_element_global<T>},
        Kernel{"element", "csr", "its sum in a register", "", spmm_element<T>},
        Kernel{"element-bounds", "csr", "the bounds of its row in registers too", "",
               spmm_element_bounds<DeviceCsr<T>>},
        Kernel{"vector", "csr", "a warp an element of Y, its lanes side by side along the row of A",
               "Bell and Garland 2009", spmm_vector<T>},
        Kernel{"subwarp", "csr", "2 to 16 lanes an element, from the mean row length", "Reguly and Giles 2012",
               spmm_subwarp<DeviceCsr<T>>},
        Kernel{"vector-by-row", "csr", "a warp a row of Y: entries are read once for all columns", "",
               spmm_vector_by_row<T>},
        Kernel{"adaptive", "csr", "shares of nonzeros; products through shared memory, column after column",
               "Greathouse and Daga 2014", spmm_adaptive<T>},
        Kernel{"adaptive-by-row", "csr", "shares of nonzeros, staged; rows in turn, lanes across the columns",
               "Greathouse and Daga 2014", spmm_adaptive_by_row<T>},
        Kernel{"row-shares", "csr", "4 to 32 threads a row, blocks balanced by nonzeros; long rows by all of a block",
               "", spmm_row_shares<T>},
        Kernel{"row-teams", "csr",
               "4 to 32 threads a row, all in one round that begins before X is there; long rows: row-shares", "",
               spmm_row_teams<T>},
        Kernel{"pipelined", "csr", "the next rows' entries are copied into shared memory while these are multiplied",
               "", spmm_pipelined<T>},
        Kernel{"panel", "csr",
               "lanes across the columns, 16 bytes each; entries asked for ahead; few or uneven rows: row-teams",
               "Yang, Buluc and Owens 2018", spmm_panel<DeviceCsr<T>>, nullptr, KernelCost{1.12, 0, 4e6}},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<Cuda, DeviceEllpack<T>>> spmm_kernels(const Cuda&, const DeviceEllpack<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceEllpack<T>>;
    static constexpr std::array list{
        Kernel{"element", "ellpack", "a thread an element of Y, no work on padding", "",
               spmm_element_bounds<DeviceEllpack<T>>},
        Kernel{"subwarp", "ellpack", "2 to 16 lanes an element, from the mean row length", "Reguly and Giles 2012",
               spmm_subwarp<DeviceEllpack<T>>},
        Kernel{"panel", "ellpack", "lanes across the columns, 16 bytes each; entries asked for ahead",
               "Yang, Buluc and Owens 2018", spmm_panel<DeviceEllpack<T>>, nullptr,
               KernelCost{1.1, 0, 8e6, 2.7e5, of_one_lane}},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<Cuda, DeviceSell<T>>> spmm_kernels(const Cuda&, const DeviceSell<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceSell<T>>;
    static constexpr std::array list{
        Kernel{"element", "sell", "a thread an element of Y, no work on padding", "",
               spmm_element_bounds<DeviceSell<T>>},
        Kernel{"panel", "sell", "lanes across the columns, 16 bytes each; entries asked for ahead",
               "Yang, Buluc and Owens 2018", spmm_panel<DeviceSell<T>>, nullptr,
               KernelCost{1, 0, 8e6, 2.7e5, of_one_lane}},
    };
    return list;
}

template <class T>
std::span<const SpmmKernel<Cuda, DeviceCompressedSell<T>>> spmm_kernels(const Cuda&, const DeviceCompressedSell<T>&) {
    using Kernel = SpmmKernel<Cuda, DeviceCompressedSell<T>>;
    static constexpr std::array list{
        Kernel{"element", "compressed-sell", "a thread an element of Y", "", spmm_compressed_element<T>},
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
template std::span<const SpmmKernel<Cuda, DeviceCompressedSell<double>>> spmm_kernels(
    const Cuda&, const DeviceCompressedSell<double>&);
template std::span<const SpmmKernel<Cuda, DeviceCompressedSell<float>>> spmm_kernels(
    const Cuda&, const DeviceCompressedSell<float>&);

}  // namespace stiefel
