#include "stiefel/spmv/products/spgemm.hpp"

#include "stiefel/spmv/products/build_rows.hpp"

namespace stiefel {

template <class T>
HostCsr<T> spgemm(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b) {
    require(a.n_cols == b.n_rows, "spgemm: A must have as many columns as B has rows");
    return a.row_ptr.visit([&](const auto* a_ptr) {
        return b.row_ptr.visit([&](const auto* b_ptr) {
            return build_rows<T>(backend, a.n_rows, b.n_cols, [&](Index i, RowAccumulator<T>& row) {
                for (Size k = a_ptr[i]; k < a_ptr[i + 1]; ++k) {
                    const T factor = a.values[k];
                    const Index j = a.col_idx[k];
                    for (Size l = b_ptr[j]; l < b_ptr[j + 1]; ++l) row.add(b.col_idx[l], factor * b.values[l]);
                }
            });
        });
    });
}

template HostCsr<double> spgemm(OpenMP&, const HostCsr<double>&, const HostCsr<double>&);
template HostCsr<float> spgemm(OpenMP&, const HostCsr<float>&, const HostCsr<float>&);

}  // namespace stiefel
