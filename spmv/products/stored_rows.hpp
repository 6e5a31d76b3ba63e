#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/products/row_store.hpp"

namespace stiefel {

/// The rows of a matrix in CSR, as FoundRows gives those of one that is not put together.
template <class T, class Offset>
struct StoredRows {
    const Offset* row_ptr;
    const Index* cols;
    const T* values;
    Size nnz;
    Index n;

    Index n_rows() const { return n; }
    [[gnu::always_inline]] Entries<T> row(Index i) const {
        const Size begin = row_ptr[i], end = row_ptr[i + 1];
        return {cols + begin, values + begin, end - begin, nnz - begin};
    }
};

/// f(rows of A)
template <class T, class F>
auto with_rows_of(const HostCsr<T>& a, const F& f) {
    return a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        return f(StoredRows<T, Offset>{row_ptr, a.col_idx.data(), a.values.data(), a.nnz(), a.n_rows});
    });
}

}  // namespace stiefel
