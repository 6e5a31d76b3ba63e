#include "stiefel/spmv/compressed_sell.hpp"
#include "stiefel/spmv/openmp/compressed_rows.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

namespace stiefel {

namespace {

using compressed::height;

/// Columns `column` .. `column + k` of the panels, a row in one register.
template <Index k, class T>
void multiply_slice(const CompressedSell<T>& a, Index slice, MatrixOf<OpenMP, const T> x, MatrixOf<OpenMP, T> y,
                    Index column, T alpha, T beta) {
    using Row [[gnu::vector_size(k * sizeof(T))]] = T;
    const auto& at = a.slices[slice];
    const Size first = at.group, end = a.slices[Size{slice} + 1].group;
    const Size first_slot = Size{slice} * height;
    const T* const from = x.data + column;
    // The rows of diagonals begin at that of the slice, those of x lie ld apart.
    const T* const diagonals = from + (at.columns == SliceColumns::diagonals ? first_slot * x.ld : 0);
    compressed::with_columns(at, diagonals, 0, [&]<bool padded>(const auto& of_columns, std::bool_constant<padded>) {
        for (Index lane = 0; lane < height; ++lane) {
            const Index row = a.row(first_slot + lane);
            if (row >= a.n_rows) continue;
            Row sum = {}, other = {};  // an addition need not wait for the one before
            const std::uint16_t* distances = a.distances.data() + at.distance;
            const T* value = a.values.data() + first * height + lane;
            const auto term = [&](Size group) {
                const std::uint16_t* const of_group = std::exchange(distances, distances + of_columns.step);
                const T of_value = *std::exchange(value, value + height);
                Row factor = {};
                if (padded && is_padding(of_value)) return factor;
                std::memcpy(&factor, of_columns.at(a.base[group], of_group, lane, x.ld), sizeof factor);
                return factor * of_value;
            };
            Size group = first;
            for (; group + 2 <= end; group += 2) {
                sum += term(group);
                other += term(group + 1);
            }
            if (group < end) sum += term(group);
            T* const to = y.data + row * y.ld + column;
            Row before = {};
            if (beta != T{0}) std::memcpy(&before, to, sizeof before);
            const Row after = alpha * (sum + other) + beta * before;
            std::memcpy(to, &after, sizeof after);
        }
    });
}

/// As many columns as fit into registers of k, then of half of that.
template <Index k, class T>
void multiply_columns(const CompressedSell<T>& a, Index slice, MatrixOf<OpenMP, const T> x, MatrixOf<OpenMP, T> y,
                      Index column, T alpha, T beta) {
    for (; column + k <= x.n_cols; column += k) multiply_slice<k>(a, slice, x, y, column, alpha, beta);
    if constexpr (k > 1) multiply_columns<k / 2>(a, slice, x, y, column, alpha, beta);
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
    compressed::for_slices(backend, a, [&](Index slice) { multiply_columns<16>(a, slice, x, y, 0, alpha, beta); });
}

template void spmv(OpenMP&, const CompressedSell<float>&, const float*, float*, float, float);
template void spmv(OpenMP&, const CompressedSell<double>&, const double*, double*, double, double);
template void spmm(OpenMP&, const CompressedSell<float>&, MatrixOf<OpenMP, const float>, MatrixOf<OpenMP, float>, float,
                   float);
template void spmm(OpenMP&, const CompressedSell<double>&, MatrixOf<OpenMP, const double>, MatrixOf<OpenMP, double>,
                   double, double);

}  // namespace stiefel
