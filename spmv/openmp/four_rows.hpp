#pragma once

#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/openmp/prefetch.hpp"
#include "stiefel/spmv/row_update.hpp"

#include <algorithm>

namespace stiefel {

/// The arrays of a CSR matrix in the types that a kernel is compiled for.
template <class Stored, class Offset>
struct CsrArrays {
    const Offset* row_ptr;
    const Index* col_idx;
    const Stored* values;

    /// Sum over entries first..last of value times x.
    template <class T>
    T sum(const T* x, Size first, Size last) const {
        T result = 0;
        for (Size k = first; k < last; ++k) result += values[k] * x[col_idx[k]];
        return result;
    }
};

template <class Stored, class Offset>
CsrArrays<Stored, Offset> csr_arrays(const HostCsr<Stored>& a, const Offset* row_ptr) {
    return {row_ptr, a.col_idx.data(), a.values.data()};
}

/// Computes y for rows first..last, four at a time: four sums that do not wait for each other, and one loop end to
/// predict instead of four. The order of a sum does not depend on the rows beside it.
template <class Stored, class T, class Offset>
void multiply_rows_by_four(const CsrArrays<Stored, Offset>& a, const SpmvArguments<T>& s, Index first, Index last) {
    Index i = first;
    for (; i + 4 <= last; i += 4) {
        const Offset* const begin = a.row_ptr + i;
        const Size common =
            std::min({begin[1] - begin[0], begin[2] - begin[1], begin[3] - begin[2], begin[4] - begin[3]});
        for (Size k = begin[0]; k < begin[4]; k += 8) prefetch_entries(a.values, a.col_idx, k);
        T sum[4] = {};
        for (Size j = 0; j < common; ++j) {
            for (int row = 0; row < 4; ++row) {
                const Size k = begin[row] + j;
                sum[row] += a.values[k] * s.x[a.col_idx[k]];
            }
        }
        const bool all_done = begin[4] - begin[0] == 4 * common;
        for (int row = 0; row < 4 && !all_done; ++row) {
            for (Size k = begin[row] + common; k < begin[row + 1]; ++k) sum[row] += a.values[k] * s.x[a.col_idx[k]];
        }
        for (int row = 0; row < 4; ++row) update_row(s.y[i + row], sum[row], s.alpha, s.beta);
    }
    for (; i < last; ++i) update_row(s.y[i], a.sum(s.x, a.row_ptr[i], a.row_ptr[i + 1]), s.alpha, s.beta);
}

}  // namespace stiefel
