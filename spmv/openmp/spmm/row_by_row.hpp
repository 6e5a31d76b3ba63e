#pragma once

#include "stiefel/spmv/kernel_list.hpp"
#include "stiefel/spmv/openmp/spmm/rows.hpp"
#include "stiefel/spmv/row_update.hpp"
#include "stiefel/spmv/spmm.hpp"

#include <algorithm>

namespace stiefel {

/// Row after row of Y for the rows at first..last: k sums, to which entry after entry adds its row of X.
template <class Rows, class T>
void multiply_row_by_row(const Rows& rows, const SpmmArguments<T>& s, Size first, Size last) {
    T sums[max_spmm_columns];
    for (Size place = first; place < last; ++place) {
        const Index row = rows.target(place);
        if (row >= rows.n_rows) continue;
        std::fill_n(sums, s.k, T{0});
        const auto entries = rows.entries(place);
        for (Index j = 0; j < entries.count; ++j) {
            const Size at = entries.first + j * entries.step;
            const T value = rows.values[at];
            const T* const x = s.x + rows.col_idx[at] * s.ldx;
            for (Index c = 0; c < s.k; ++c) sums[c] += value * x[c];
        }
        T* const y = s.y + row * s.ldy;
        for (Index c = 0; c < s.k; ++c) update_row(y[c], sums[c], s.alpha, s.beta);
    }
}

}  // namespace stiefel
