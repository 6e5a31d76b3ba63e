#include "stiefel/spmv/symmetric_permutation.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/sort_row.hpp"

namespace stiefel {

namespace {

HostVector<Index> places(const HostVector<Index>& order) {
    const Size n = order.size();
    HostVector<Index> place(n, -1);
    for (Size k = 0; k < n; ++k) {
        require(order[k] >= 0 && order[k] < n && place[order[k]] == -1, "permuted: the order must have each row once");
        place[order[k]] = static_cast<Index>(k);
    }
    return place;
}

}  // namespace

template <class T>
HostCsr<T> permuted(OpenMP& backend, const HostCsr<T>& a, const HostVector<Index>& order) {
    const Index n = a.n_rows;
    require(a.n_cols == n && order.size() == n, "permuted: A must be square, and the order as long");
    const HostVector<Index> place = places(order);
    HostCsr<T> result{
        .n_rows = n, .n_cols = n, .col_idx = HostVector<Index>(a.nnz()), .values = HostVector<T>(a.nnz())};
    a.row_ptr.visit([&](const auto* row_ptr) {
        HostVector<Size> start(Size{n} + 1);
        start[0] = 0;
        for (Index k = 0; k < n; ++k) start[k + 1] = start[k] + (row_ptr[order[k] + 1] - row_ptr[order[k]]);
#pragma omp parallel num_threads(backend.threads()) if (a.nnz() > 100000)
        {
            RowSorter<T> sorter;
#pragma omp for schedule(dynamic, 512)
            for (Index k = 0; k < n; ++k) {
                Size to = start[k];
                for (Size e = row_ptr[order[k]]; e < row_ptr[order[k] + 1]; ++e, ++to) {
                    result.col_idx[to] = place[a.col_idx[e]];
                    result.values[to] = a.values[e];
                }
                sorter.sort_and_merge(result.col_idx.data() + start[k], result.values.data() + start[k],
                                      start[k + 1] - start[k]);
            }
        }
        result.row_ptr = row_offsets(backend, std::move(start));
    });
    return result;
}

template HostCsr<double> permuted(OpenMP&, const HostCsr<double>&, const HostVector<Index>&);
template HostCsr<float> permuted(OpenMP&, const HostCsr<float>&, const HostVector<Index>&);

}  // namespace stiefel
