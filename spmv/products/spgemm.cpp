#include "stiefel/spmv/products/spgemm.hpp"

#include "stiefel/spmv/products/build_rows.hpp"

namespace stiefel {

namespace {

/// C whose row i is the sum of factor times row j of B for all that add_row(i, add) adds by add(j, factor).
template <class T, class AddRow>
HostCsr<T> product_of_rows(OpenMP& backend, Index n_rows, const HostCsr<T>& b, RowOrder order, const AddRow& add_row) {
    return b.row_ptr.visit([&](const auto* b_ptr) {
        const auto add_up = [=, cols = b.col_idx.data(), values = b.values.data(), nnz = b.nnz()](Index i,
                                                                                                  RowSum<T>& sum) {
            RowSum<T> row = sum;
            add_row(i, [&](Index j, T factor) {
                const Size begin = b_ptr[j], end = b_ptr[j + 1];
                row.add({cols + begin, values + begin, end - begin, nnz - begin}, factor);
            });
            sum = row;
        };
        return build_rows<T>(backend, n_rows, b.n_cols, add_up, order);
    });
}

template <class T>
HostCsr<T> product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b, RowOrder order) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        return product_of_rows(backend, a.n_rows, b, order,
                               [=, cols = a.col_idx.data(), values = a.values.data()](Index i, const auto& add) {
                                   const Size last = row_ptr[i + 1];
                                   for (Size k = row_ptr[i]; k < last; ++k) add(cols[k], values[k]);
                               });
    });
}

/// (L + D / 2) B for A = L + D + L', its columns in any order.
template <class T>
HostCsr<T> lower_product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        return product_of_rows(backend, a.n_rows, b, RowOrder::as_found,
                               [=, cols = a.col_idx.data(), values = a.values.data()](Index i, const auto& add) {
                                   const Size last = row_ptr[i + 1];
                                   for (Size k = row_ptr[i]; k < last && cols[k] <= i; ++k) {
                                       add(cols[k], cols[k] == i ? values[k] / 2 : values[k]);
                                   }
                               });
    });
}

/// A + A'
template <class T>
HostCsr<T> with_transpose(OpenMP& backend, const HostCsr<T>& a) {
    const HostCsr<T> t = transpose(backend, a);
    return a.row_ptr.visit([&](const auto* a_ptr) {
        return t.row_ptr.visit([&](const auto* t_ptr) {
            return build_rows<T>(backend, a.n_rows, a.n_cols, [&](Index i, RowSum<T>& row) {
                const auto add = [&](const HostCsr<T>& m, Size begin, Size end) {
                    row.add({m.col_idx.data() + begin, m.values.data() + begin, end - begin, m.nnz() - begin}, T{1});
                };
                add(a, a_ptr[i], a_ptr[i + 1]);
                add(t, t_ptr[i], t_ptr[i + 1]);
            });
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
HostCsr<T> galerkin_product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& p, const HostCsr<T>& p_transposed) {
    require(a.n_rows == a.n_cols && a.n_cols == p.n_rows,
            "galerkin_product: A must be square, with as many columns as P has rows");
    require(p_transposed.n_rows == p.n_cols && p_transposed.n_cols == p.n_rows,
            "galerkin_product: P' must have as many rows as P has columns, and as many columns as P has rows");
    const HostCsr<T> half = product(backend, p_transposed, lower_product(backend, a, p), RowOrder::as_found);
    return with_transpose(backend, half);
}

template HostCsr<double> spgemm(OpenMP&, const HostCsr<double>&, const HostCsr<double>&);
template HostCsr<float> spgemm(OpenMP&, const HostCsr<float>&, const HostCsr<float>&);
template HostCsr<double> galerkin_product(OpenMP&, const HostCsr<double>&, const HostCsr<double>&,
                                          const HostCsr<double>&);
template HostCsr<float> galerkin_product(OpenMP&, const HostCsr<float>&, const HostCsr<float>&, const HostCsr<float>&);

}  // namespace stiefel
