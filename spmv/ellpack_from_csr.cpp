#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/padding.hpp"

#include <algorithm>

namespace stiefel {

namespace {

Size stride_for(EllpackLayout layout, Index n_rows, Index width) {
    return layout == EllpackLayout::row_major ? width : ellpack_column_stride(n_rows);
}

}  // namespace

template <class T>
HostEllpack<T> ellpack_from_csr(OpenMP& backend, const HostCsr<T>& csr, EllpackLayout layout, PaddingLimit limit) {
    HostEllpack<T> a{.n_rows = csr.n_rows, .n_cols = csr.n_cols, .n_nonzeros = csr.nnz(), .layout = layout};
    csr.row_ptr.visit([&](const auto* row_ptr) {
        a.row_length = HostVector<Index>(csr.n_rows);
        Index width = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : width)
        for (Index row = 0; row < csr.n_rows; ++row) {
            a.row_length[row] = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]);
            width = std::max(width, a.row_length[row]);
        }
        a.width = width;
        a.stride = stride_for(layout, csr.n_rows, width);
        const bool by_rows = layout == EllpackLayout::row_major;
        const Size n_stored = by_rows ? csr.n_rows * a.stride : width * a.stride;
        check_padding(limit, "ellpack", width, Size{csr.n_rows} * width, csr.nnz(), sizeof(T) + sizeof(Index));
        a.col_idx = HostVector<Index>(n_stored);
        a.values = HostVector<T>(n_stored);

        const Size step = by_rows ? 1 : a.stride;
        const Size n_places = by_rows ? csr.n_rows : a.stride;  // rows, and those that fill up the stride
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Size row = 0; row < n_places; ++row) {
            Index* const cols = a.col_idx.data() + (by_rows ? row * a.stride : row);
            T* const values = a.values.data() + (by_rows ? row * a.stride : row);
            const Index length = row < csr.n_rows ? a.row_length[row] : 0;
            const Size first = length > 0 ? row_ptr[row] : 0;
            for (Index j = 0; j < length; ++j) {
                cols[j * step] = csr.col_idx[first + j];
                values[j * step] = csr.values[first + j];
            }
            const Index last_col = length > 0 ? csr.col_idx[first + length - 1] : 0;
            for (Index j = length; j < width; ++j) {
                cols[j * step] = last_col;
                values[j * step] = T{0};
            }
        }
    });
    return a;
}

template HostEllpack<double> ellpack_from_csr(OpenMP&, const HostCsr<double>&, EllpackLayout, PaddingLimit);
template HostEllpack<float> ellpack_from_csr(OpenMP&, const HostCsr<float>&, EllpackLayout, PaddingLimit);

}  // namespace stiefel
