#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/openmp/compressed_rows.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel {

namespace {

using compressed::height;

/// Columns `column` .. `column + k` of the panels.
template <Index k, class T>
void multiply_slice(const CompressedSell<T>& a, Index slice, MatrixOf<OpenMP, const T> x, MatrixOf<OpenMP, T> y,
                    Index column, T alpha, T beta) {
    const auto& at = a.slices[slice];
    const Size end = a.slices[Size{slice} + 1].group;
    const auto column_of = [&](Size group, Index lane, const std::uint16_t* distances) -> Size {
        const Size base = a.base[group];
        switch (at.columns) {
            case SliceColumns::diagonals:
                return Size{slice} * height + lane + base;
            case SliceColumns::near:
                return base + distances[lane];
            default:
                return base + reinterpret_cast<const std::uint32_t*>(distances)[lane];
        }
    };
    const Size step = at.columns == SliceColumns::diagonals ? 0
                      : at.columns == SliceColumns::near    ? height
                                                            : 2 * height;
    for (Index lane = 0; lane < height; ++lane) {
        const Index row = a.row(Size{slice} * height + lane);
        if (row >= a.n_rows) continue;
        T sum[k] = {};
        const std::uint16_t* distances = a.distances.data() + at.distance;
        for (Size group = at.group; group < end; ++group, distances += step) {
            const T value = a.values[group * height + lane];
            const T* const from = x.data + column_of(group, lane, distances) * x.ld + column;
            for (Index c = 0; c < k; ++c) sum[c] += value * from[c];
        }
        T* const to = y.data + row * y.ld + column;
        for (Index c = 0; c < k; ++c) update_row(to[c], sum[c], alpha, beta);
    }
}

}  // namespace

template <class T>
void spmv(OpenMP& backend, const CompressedSell<T>& a, const T* x, T* y, T alpha, T beta) {
    if (beta == T{0}) {
        for_compressed_rows(backend, a, x, [=](Index row, T sum) { y[row] = alpha * sum; });
    } else {
        for_compressed_rows(backend, a, x, [=](Index row, T sum) { y[row] = alpha * sum + beta * y[row]; });
    }
}

template <class T>
void spmm(OpenMP& backend, const CompressedSell<T>& a, MatrixOf<OpenMP, const T> x, MatrixOf<OpenMP, T> y, T alpha,
          T beta) {
    compressed::for_slices(backend, a, [&](Index slice) {
        Index column = 0;
        for (; column + 8 <= x.n_cols; column += 8) multiply_slice<8>(a, slice, x, y, column, alpha, beta);
        if (column + 4 <= x.n_cols) {
            multiply_slice<4>(a, slice, x, y, column, alpha, beta);
            column += 4;
        }
        for (; column < x.n_cols; ++column) multiply_slice<1>(a, slice, x, y, column, alpha, beta);
    });
}

template void spmv(OpenMP&, const CompressedSell<float>&, const float*, float*, float, float);
template void spmv(OpenMP&, const CompressedSell<double>&, const double*, double*, double, double);
template void spmm(OpenMP&, const CompressedSell<float>&, MatrixOf<OpenMP, const float>, MatrixOf<OpenMP, float>, float,
                   float);
template void spmm(OpenMP&, const CompressedSell<double>&, MatrixOf<OpenMP, const double>, MatrixOf<OpenMP, double>,
                   double, double);

}  // namespace stiefel
