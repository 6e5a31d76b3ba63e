#include "stiefel/spmv/check_csr.hpp"
#include "stiefel/spmv/csr_faults.hpp"

#include <algorithm>
#include <limits>

namespace stiefel {

namespace {

/// The first row for which is_bad(row), or n_rows.
template <class F>
Index first_row(OpenMP& backend, Index n_rows, F&& is_bad) {
    Index first = n_rows;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(min : first)
    for (Index row = 0; row < n_rows; ++row) {
        if (row < first && is_bad(row)) first = row;
    }
    return first;
}

}  // namespace

template <class T>
void check_csr(OpenMP& backend, const HostCsr<T>& a) {
    require_csr_sizes(a);
    a.row_ptr.visit([&](const auto* row_ptr) {
        require_csr_ends(row_ptr[0], row_ptr[a.n_rows], a.nnz());
        const Index out_of_order =
            first_row(backend, a.n_rows, [&](Index row) { return !offsets_are_right(row_ptr, row, a.nnz()); });
        if (out_of_order < a.n_rows) throw_bad_offsets(out_of_order);
        const Index bad_columns = first_row(
            backend, a.n_rows, [&](Index row) { return !columns_are_right(row_ptr, a.col_idx.data(), row, a.n_cols); });
        if (bad_columns < a.n_rows) throw_bad_columns(bad_columns, a.n_cols);
    });
}

template void check_csr(OpenMP&, const HostCsr<double>&);
template void check_csr(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel
