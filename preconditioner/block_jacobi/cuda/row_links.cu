#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/block_jacobi/cuda/inverse.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

namespace stiefel::block_jacobi {

namespace {

using View = cuda::CsrView<double>;

/// The last column of a row before the diagonal; -1 where there is none.
__device__ Index last_before(const View& a, Size begin, Size end, Size row) {
    Size low = begin, high = end;
    while (low < high) {
        const Size middle = low + (high - low) / 2;
        if (a.col_idx[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > begin ? a.col_idx[low - 1] : -1;
}

template <int lanes>
__global__ void links_kernel(View a, Index* links) {
    const RowLanes<lanes> at;
    const bool is_row = at.row < a.n_rows;
    const bool has_other = is_row && at.row > 0;
    const Size begin = is_row ? a.row_ptr[at.row] : 0, end = is_row ? a.row_ptr[at.row + 1] : 0;
    const Size other = has_other ? a.row_ptr[at.row - 1] : 0;
    int differs = !has_other || begin - other != end - begin ? 1 : 0;
    for (Size k = at.lane; differs == 0 && k < end - begin; k += lanes) {
        if (a.col_idx[begin + k] != a.col_idx[other + k]) differs = 1;
    }
    differs = lanes_max<lanes>(differs);
    if (!is_row || at.lane > 0) return;
    links[at.row] = differs == 0 ? static_cast<Index>(at.row) : last_before(a, begin, end, at.row);
}

}  // namespace

HostVector<Index> row_links(Cuda& backend, const DeviceCsr<double>& a) {
    HostVector<Index> links(a.n_rows);
    if (a.n_rows == 0) return links;
    DeviceVector<Index> found(backend, a.n_rows);
    const View view(a);
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        links_kernel<lanes()>
            <<<RowLanes<lanes()>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(view, found.data());
    });
    check_cuda(cudaGetLastError(), "comparing the columns of rows");
    download(backend, found, links);
    return links;
}

}  // namespace stiefel::block_jacobi
