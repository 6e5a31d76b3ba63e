#pragma once

#include "stiefel/dense/gemm_kernels.hpp"

namespace stiefel {

/// `n_lines` lines of a matrix, each contiguous: the rows of A or the columns of B, so that inner products read both
/// operands from front to back. Copies, by the given loop over lines, unless the matrix lies that way already.
template <class T>
class ContiguousLines {
public:
    template <class Loop>
    ContiguousLines(const T* data, Index n_lines, Index length, Size line_stride, Size step, Loop&& for_each_line)
        : data_(data), stride_(line_stride) {
        if (step == 1) return;
        copy_ = HostVector<T>(Size{n_lines} * length);
        T* const to = copy_.data();
        for_each_line(n_lines, [=](Size line) {
            for (Index p = 0; p < length; ++p) to[line * length + p] = data[line * line_stride + p * step];
        });
        data_ = to;
        stride_ = length;
    }

    const T* operator[](Size line) const { return data_ + line * stride_; }

private:
    HostVector<T> copy_;
    const T* data_;
    Size stride_;
};

/// op(A) by rows and op(B) by columns.
template <class T>
struct TransposedOperands {
    ContiguousLines<T> rows_of_a;
    ContiguousLines<T> columns_of_b;

    template <class Loop>
    TransposedOperands(const GemmArguments<T>& g, Loop&& for_each_line)
        : rows_of_a(g.a.data, g.m, g.k, g.a.row_stride, g.a.col_stride, for_each_line),
          columns_of_b(g.b.data, g.n, g.k, g.b.col_stride, g.b.row_stride, for_each_line) {}
};

template <class T>
void gemm_transposed_row(const GemmArguments<T>& g, const TransposedOperands<T>& operands, Size i) {
    const T* const a = operands.rows_of_a[i];
    for (Index j = 0; j < g.n; ++j) {
        const T* const b = operands.columns_of_b[j];
        T sum = 0;
#pragma omp simd reduction(+ : sum)
        for (Index p = 0; p < g.k; ++p) sum += a[p] * b[p];
        g.store(i, j, sum);
    }
}

}  // namespace stiefel
