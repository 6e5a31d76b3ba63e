#include "stiefel/spmv/products/spgemm.hpp"

#include "stiefel/spmv/products/build_rows.hpp"
#include "stiefel/spmv/products/stored_rows.hpp"

namespace stiefel {

namespace {

/// What adds up row i of A B.
template <class ARows, class BRows>
auto row_of_product(const ARows& a, const BRows& b) {
    return [a, &b](Index i, auto& sum) {
        auto row = sum;
        const auto of_a = a.row(i);
        for (Size k = 0; k < of_a.n; ++k) row.add(b.row(of_a.cols[k]), of_a.values[k]);
        sum = row;
    };
}

template <class T>
HostCsr<T> product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b) {
    return with_rows_of(a, [&](const auto& a_rows) {
        return with_rows_of(b, [&](const auto& b_rows) {
            return build_rows<T>(backend, a.n_rows, b.n_cols, row_of_product(a_rows, b_rows));
        });
    });
}

/// (L + D / 2) B for A = L + D + L'
template <class T>
FoundRows<T> lower_product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b) {
    return with_rows_of(a, [&](const auto& a_rows) {
        return with_rows_of(b, [&](const auto& b_rows) {
            return find_rows<T>(backend, a.n_rows, b.n_cols, [a_rows, b_rows](Index i, RowSum<T>& sum) {
                RowSum<T> row = sum;
                const Entries<T> of_a = a_rows.row(i);
                for (Size k = 0; k < of_a.n && of_a.cols[k] <= i; ++k) {
                    row.add(b_rows.row(of_a.cols[k]), of_a.cols[k] == i ? of_a.values[k] / 2 : of_a.values[k]);
                }
                sum = row;
            });
        });
    });
}

/// A + A'
template <class T>
HostCsr<T> with_transpose(OpenMP& backend, const HostCsr<T>& a) {
    const HostCsr<T> t = transpose(backend, a);
    return with_rows_of(a, [&](const auto& a_rows) {
        return with_rows_of(t, [&](const auto& t_rows) {
            return build_rows<T>(backend, a.n_rows, a.n_cols, [a_rows, t_rows](Index i, RowSum<T>& row) {
                row.add(a_rows.row(i), T{1});
                row.add(t_rows.row(i), T{1});
            });
        });
    });
}

}  // namespace

template <class T>
HostCsr<T> spgemm(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& b) {
    require(a.n_cols == b.n_rows, "spgemm: A must have as many columns as B has rows");
    return product(backend, a, b);
}

template <class T>
HostCsr<T> galerkin_product(OpenMP& backend, const HostCsr<T>& a, const HostCsr<T>& p, const HostCsr<T>& p_transposed) {
    require(a.n_rows == a.n_cols && a.n_cols == p.n_rows,
            "galerkin_product: A must be square, with as many columns as P has rows");
    require(p_transposed.n_rows == p.n_cols && p_transposed.n_cols == p.n_rows,
            "galerkin_product: P' must have as many rows as P has columns, and as many columns as P has rows");
    const FoundRows<T> lower = lower_product(backend, a, p);
    const HostCsr<T> half = with_rows_of(p_transposed, [&](const auto& rows) {
        return build_rows<T>(backend, p.n_cols, p.n_cols, row_of_product(rows, lower), RowOrder::as_found);
    });
    return with_transpose(backend, half);
}

template HostCsr<double> spgemm(OpenMP&, const HostCsr<double>&, const HostCsr<double>&);
template HostCsr<float> spgemm(OpenMP&, const HostCsr<float>&, const HostCsr<float>&);
template HostCsr<double> galerkin_product(OpenMP&, const HostCsr<double>&, const HostCsr<double>&,
                                          const HostCsr<double>&);
template HostCsr<float> galerkin_product(OpenMP&, const HostCsr<float>&, const HostCsr<float>&, const HostCsr<float>&);

}  // namespace stiefel
