#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/padding.hpp"
#include "stiefel/spmv/rows_by_length.hpp"
#include "stiefel/spmv/scan.hpp"

#include <algorithm>

namespace stiefel {

template <class T>
HostSell<T> sell_from_csr(OpenMP& backend, const HostCsr<T>& csr, Index slice_height, Index sigma, PaddingLimit limit) {
    require(slice_height > 0, "sell_from_csr: slice_height must be positive");
    require(sigma > 0, "sell_from_csr: sigma must be positive");
    HostSell<T> a{.n_rows = csr.n_rows,
                  .n_cols = csr.n_cols,
                  .n_nonzeros = csr.nnz(),
                  .slice_height = slice_height,
                  .sigma = sigma};
    csr.row_ptr.visit([&](const auto* row_ptr) {
        const Index n_slices = a.n_slices();
        a.row_of_slot = rows_by_length(backend, row_ptr, csr.n_rows, a.n_slots(), sigma);
        a.row_length = HostVector<Index>(a.n_slots());
        a.slice_ptr = HostVector<Size>(Size{n_slices} + 1);
        a.slice_ptr[0] = 0;
        Index longest = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : longest)
        for (Index slice = 0; slice < n_slices; ++slice) {
            Index width = 0;
            for (Size slot = Size{slice} * slice_height; slot < (Size{slice} + 1) * slice_height; ++slot) {
                const Index row = a.row(slot);
                a.row_length[slot] = row < csr.n_rows ? static_cast<Index>(row_ptr[row + 1] - row_ptr[row]) : 0;
                width = std::max(width, a.row_length[slot]);
            }
            a.slice_ptr[slice + 1] = Size{width} * slice_height;
            longest = std::max(longest, width);
        }
        inclusive_scan(backend, a.slice_ptr.data(), a.slice_ptr.size());
        const Size n_stored = a.slice_ptr[n_slices];
        check_padding(limit, "sell", longest, n_stored, csr.nnz(), sizeof(T) + sizeof(Index));
        a.col_idx = HostVector<Index>(n_stored);
        a.values = HostVector<T>(n_stored);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index slice = 0; slice < n_slices; ++slice) {
            const Size width = (a.slice_ptr[slice + 1] - a.slice_ptr[slice]) / slice_height;
            for (Index lane = 0; lane < slice_height; ++lane) {
                const Size slot = Size{slice} * slice_height + lane;
                const Index length = a.row_length[slot];
                const Size first = length > 0 ? row_ptr[a.row(slot)] : 0;
                const Index last_col = length > 0 ? csr.col_idx[first + length - 1] : 0;
                Size k = a.slice_ptr[slice] + lane;
                for (Size j = 0; j < width; ++j, k += slice_height) {
                    a.col_idx[k] = j < length ? csr.col_idx[first + j] : last_col;
                    a.values[k] = j < length ? csr.values[first + j] : T{0};
                }
            }
        }
    });
    return a;
}

template HostSell<double> sell_from_csr(OpenMP&, const HostCsr<double>&, Index, Index, PaddingLimit);
template HostSell<float> sell_from_csr(OpenMP&, const HostCsr<float>&, Index, Index, PaddingLimit);

}  // namespace stiefel
