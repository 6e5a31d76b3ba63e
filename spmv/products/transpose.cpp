#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/spmv/scan.hpp"

#include <algorithm>
#include <utility>

// A counting sort by column. The rows are cut into shares; each counts its entries in every column, and then knows
// where in the column its own begin, so that all shares place theirs at once and in order.

namespace stiefel {

namespace {

/// One share a thread, or fewer where their counters would outweigh the matrix.
int n_shares(const OpenMP& backend, Size nnz, Index n_cols) {
    return static_cast<int>(std::clamp<Size>(nnz / std::max<Size>(1, n_cols), 1, backend.threads()));
}

template <class T, class Offset>
HostCsr<T> transposed(OpenMP& backend, const HostCsr<T>& a, const Offset* row_ptr) {
    const int shares = n_shares(backend, a.nnz(), a.n_cols);
    const Size n = a.n_cols;
    const auto first_row = [&](int share) { return static_cast<Index>(share_begin(a.n_rows, shares, share)); };
    HostVector<Size> place(n * shares, 0);  // of column j in share s: place[s n + j]
#pragma omp parallel for num_threads(shares) schedule(static)
    for (int s = 0; s < shares; ++s) {
        for (Size k = row_ptr[first_row(s)]; k < row_ptr[first_row(s + 1)]; ++k) ++place[s * n + a.col_idx[k]];
    }
    HostVector<Size> ends(n + 1);
    ends[0] = 0;
#pragma omp parallel for num_threads(shares) schedule(static)
    for (Size j = 0; j < n; ++j) {
        Size sum = 0;
        for (int s = 0; s < shares; ++s) sum += std::exchange(place[s * n + j], sum);
        ends[j + 1] = sum;
    }
    inclusive_scan(backend, ends.data(), ends.size());

    HostCsr<T> t{.n_rows = a.n_cols,
                 .n_cols = a.n_rows,
                 .col_idx = HostVector<Index>(a.nnz()),
                 .values = HostVector<T>(a.nnz())};
#pragma omp parallel for num_threads(shares) schedule(static)
    for (int s = 0; s < shares; ++s) {
        for (Index i = first_row(s); i < first_row(s + 1); ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                const Size to = ends[j] + place[s * n + j]++;
                t.col_idx[to] = i;
                t.values[to] = a.values[k];
            }
        }
    }
    t.row_ptr = row_offsets(backend, std::move(ends));
    return t;
}

}  // namespace

template <class T>
HostCsr<T> transpose(OpenMP& backend, const HostCsr<T>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) { return transposed(backend, a, row_ptr); });
}

template HostCsr<double> transpose(OpenMP&, const HostCsr<double>&);
template HostCsr<float> transpose(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel
