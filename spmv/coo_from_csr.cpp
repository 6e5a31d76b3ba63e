#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/scan.hpp"

namespace stiefel {

template <class T>
Coo<T> coo_from_csr(OpenMP& backend, const HostCsr<T>& csr, bool lower_triangle_only) {
    require(!lower_triangle_only || csr.n_rows == csr.n_cols,
            "coo_from_csr: only a square matrix has a lower triangle");
    const auto kept = [&](Index row, Index col) { return !lower_triangle_only || col <= row; };
    Coo<T> coo{.n_rows = csr.n_rows,
               .n_cols = csr.n_cols,
               .symmetry = lower_triangle_only ? Symmetry::symmetric : Symmetry::general};
    csr.row_ptr.visit([&](const auto* row_ptr) {
        HostVector<Size> first_entry(Size{csr.n_rows} + 1);
        first_entry[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index row = 0; row < csr.n_rows; ++row) {
            Size count = 0;
            for (Size k = row_ptr[row]; k < row_ptr[row + 1]; ++k) count += kept(row, csr.col_idx[k]);
            first_entry[row + 1] = count;
        }
        inclusive_scan(backend, first_entry.data(), first_entry.size());
        coo.row_idx = HostVector<Index>(first_entry[csr.n_rows]);
        coo.col_idx = HostVector<Index>(first_entry[csr.n_rows]);
        coo.values = HostVector<T>(first_entry[csr.n_rows]);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index row = 0; row < csr.n_rows; ++row) {
            Size e = first_entry[row];
            for (Size k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
                if (!kept(row, csr.col_idx[k])) continue;
                coo.row_idx[e] = row;
                coo.col_idx[e] = csr.col_idx[k];
                coo.values[e] = csr.values[k];
                ++e;
            }
        }
    });
    return coo;
}

template Coo<double> coo_from_csr(OpenMP&, const HostCsr<double>&, bool);
template Coo<float> coo_from_csr(OpenMP&, const HostCsr<float>&, bool);

}  // namespace stiefel
