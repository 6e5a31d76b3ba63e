#include "stiefel/spmv/products/spgemm.hpp"

#include "stiefel/spmv/products/build_rows.hpp"

namespace stiefel {

namespace {

template <class T>
HostCsr<T> product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b, RowOrder order) {
    return a.row_ptr.visit([&](const auto* a_ptr) {
        return b.row_ptr.visit([&](const auto* b_ptr) {
            const auto add_up = [=, a_cols = a.col_idx.data(), a_values = a.values.data(), b_cols = b.col_idx.data(),
                                 b_values = b.values.data(), b_nnz = b.nnz()](Index i, RowSum<T>& sum) {
                RowSum<T> row = sum;
                const Size last = a_ptr[i + 1];
                for (Size k = a_ptr[i]; k < last; ++k) {
                    const Size begin = b_ptr[a_cols[k]], end = b_ptr[a_cols[k] + 1];
                    row.add({b_cols + begin, b_values + begin, end - begin, b_nnz - begin}, a_values[k]);
                }
                sum = row;
            };
            return build_rows<T>(backend, a.n_rows, b.n_cols, add_up, order);
        });
    });
}

}  // namespace

template <class T>
HostCsr<T> spgemm(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b) {
    require(a.n_cols == b.n_rows, "spgemm: A must have as many columns as B has rows");
    return product(backend, a, b, RowOrder::ascending);
}

template <class T>
HostCsr<T> galerkin_product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& p) {
    return galerkin_product(backend, a, p, transpose(backend, p));
}

template <class T>
HostCsr<T> galerkin_product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& p, const HostCsr<T>& p_transposed) {
    require(a.n_rows == a.n_cols && a.n_cols == p.n_rows,
            "galerkin_product: A must be square, with as many columns as P has rows");
    require(p_transposed.n_rows == p.n_cols && p_transposed.n_cols == p.n_rows,
            "galerkin_product: P' must have as many rows as P has columns, and as many columns as P has rows");
    const HostCsr<T> ap = product(backend, a, p, RowOrder::as_found);
    return product(backend, p_transposed, ap, RowOrder::ascending);
}

template HostCsr<double> spgemm(OpenMP&, const HostCsr<double>&, const HostCsr<double>&);
template HostCsr<float> spgemm(OpenMP&, const HostCsr<float>&, const HostCsr<float>&);
template HostCsr<double> galerkin_product(OpenMP&, const HostCsr<double>&, const HostCsr<double>&);
template HostCsr<float> galerkin_product(OpenMP&, const HostCsr<float>&, const HostCsr<float>&);
template HostCsr<double> galerkin_product(OpenMP&, const HostCsr<double>&, const HostCsr<double>&,
                                          const HostCsr<double>&);
template HostCsr<float> galerkin_product(OpenMP&, const HostCsr<float>&, const HostCsr<float>&, const HostCsr<float>&);

}  // namespace stiefel
