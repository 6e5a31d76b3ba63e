#pragma once

#include "stiefel/spmv/ellpack.hpp"

namespace stiefel {

/// The arrays of an ELLPACK matrix with the layout as a type, so that the step along a row or a column is a constant.
template <class T, EllpackLayout layout>
struct EllpackArrays {
    const Index* col_idx;
    const T* values;
    Size stride;

    Size position(Index i, Index j) const {
        return layout == EllpackLayout::row_major ? i * stride + j : j * stride + i;
    }
    T product(const T* x, Index i, Index j) const {
        const Size k = position(i, j);
        return values[k] * x[col_idx[k]];
    }
};

/// f(arrays) with the arrays of a in their own type.
template <class T, class F>
void visit_layout(const HostEllpack<T>& a, F&& f) {
    if (a.layout == EllpackLayout::row_major) {
        f(EllpackArrays<T, EllpackLayout::row_major>{a.col_idx.data(), a.values.data(), a.stride});
    } else {
        f(EllpackArrays<T, EllpackLayout::column_major>{a.col_idx.data(), a.values.data(), a.stride});
    }
}

}  // namespace stiefel
