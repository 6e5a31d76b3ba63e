#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace stiefel {

/// diag(left) A diag(right), not yet computed: a conversion rounds it on the way.
template <class T>
struct ScaledCsr {
    const HostCsr<T>& a;
    const HostVector<double>& left;
    const HostVector<double>& right;

    /// The k-th entry, in row i. Of a symmetric A scaled alike from both sides it has the bits of its mirror image.
    template <class S>
    [[gnu::always_inline]] S value(Index i, Size k) const {
        return static_cast<S>(left[i] * right[a.col_idx[k]] * static_cast<double>(a.values[k]));
    }
    /// For EqualSlices.
    std::uint64_t row_factor(Size i) const { return std::bit_cast<std::uint64_t>(left[i]); }
    std::uint64_t column_factor(Index j) const { return std::bit_cast<std::uint64_t>(right[j]); }
};

/// Rounded to S.
template <class S, class T>
HostCsr<S> scaled_copy(OpenMP& backend, const ScaledCsr<T>& scaled) {
    const HostCsr<T>& a = scaled.a;
    HostCsr<S> copy{.n_rows = a.n_rows,
                    .n_cols = a.n_cols,
                    .col_idx = HostVector<Index>(a.nnz()),
                    .values = HostVector<S>(a.nnz())};
    a.row_ptr.visit([&](const auto* row_ptr) {
        using Offset = std::remove_cvref_t<decltype(*row_ptr)>;
        HostVector<Offset> offsets(Size{a.n_rows} + 1);
        offsets[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            offsets[Size{i} + 1] = row_ptr[i + 1];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                copy.col_idx[k] = a.col_idx[k];
                copy.values[k] = scaled.template value<S>(i, k);
            }
        }
        copy.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    });
    return copy;
}

}  // namespace stiefel
