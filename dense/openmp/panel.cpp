#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/packed/micro_kernel.hpp"
#include "stiefel/dense/panel_arguments.hpp"

#include <algorithm>

namespace stiefel {

namespace {

/// Rows that are packed and multiplied at a time: their two packed copies stay in L2.
constexpr Size block_rows = 256;

/// Most partial sums that a Gram matrix is gathered from.
constexpr Size max_chunks = 256;

/// Largest tile edge of any micro-kernel, and with it the most padding of a packed panel.
constexpr Size max_width = 48;
constexpr Size max_padded = max_panel_columns + max_width;

Size round_up(Size n, Size multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/// Rows begin .. end - 1 into groups of `width` columns, converted to double and filled up with zeros: what a
/// micro-kernel that multiplies along the rows takes for either operand.
template <class T>
void pack_columns(const HostMatrix<const T>& a, Size begin, Size end, Size width, double* to) {
    for (Size first = 0; first < a.n_cols; first += width) {
        const Size cols = std::min<Size>(width, a.n_cols - first);
        for (Size row = begin; row < end; ++row) {
            const T* const from = a.data + row * a.ld + first;
            for (Size j = 0; j < cols; ++j) to[j] = from[j];
            for (Size j = cols; j < width; ++j) to[j] = 0;
            to += width;
        }
    }
}

/// `rows` rows from `begin` on as columns of `width` elements, for a micro-kernel that multiplies along the columns.
template <class T>
void pack_rows(const HostMatrix<const T>& a, Size begin, Size rows, Size width, double* to) {
    for (Size j = 0; j < a.n_cols; ++j) {
        for (Size i = 0; i < width; ++i) to[j * width + i] = i < rows ? a.data[(begin + i) * a.ld + j] : 0;
    }
}

/// Adds P' Q of rows begin .. end - 1 to `sums`, leading dimension ld, padded to whole tiles.
template <class T>
void add_gram(const MicroKernel<double>& kernel, const HostMatrix<const T>& p, const HostMatrix<const T>& q, Size begin,
              Size end, double* sums, Size ld) {
    alignas(64) double p_packed[block_rows * max_padded];
    alignas(64) double q_packed[block_rows * max_padded];
    for (; begin < end; begin += block_rows) {
        const Size rows = std::min(block_rows, end - begin);
        pack_columns(p, begin, begin + rows, kernel.mr, p_packed);
        pack_columns(q, begin, begin + rows, kernel.nr, q_packed);
        for (Size i = 0; i < p.n_cols; i += kernel.mr) {
            for (Size j = 0; j < q.n_cols; j += kernel.nr) {
                kernel.multiply(rows, p_packed + i * rows, q_packed + j * rows, 1, 1, sums + i * ld + j, ld);
            }
        }
    }
}

}  // namespace

template <class T>
void gram(OpenMP& backend, HostMatrix<const T> p, HostMatrix<const std::type_identity_t<T>> q, HostMatrix<double> g) {
    check_gram(shape_of(p), shape_of(q), shape_of(g));
    const MicroKernel<double>& kernel = micro_kernels<double>().back();
    const Size ld = round_up(q.n_cols, kernel.nr);
    const Size size = round_up(p.n_cols, kernel.mr) * ld;
    const Size chunk_rows = round_up(std::max<Size>(1, (p.n_rows + max_chunks - 1) / max_chunks), block_rows);
    const Size chunks = std::max<Size>(1, (p.n_rows + chunk_rows - 1) / chunk_rows);
    double* const sums = backend.partials(chunks * size);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (chunks > 1)
    for (Size chunk = 0; chunk < chunks; ++chunk) {
        double* const own = sums + chunk * size;
        std::fill_n(own, size, 0.0);
        add_gram(kernel, p, q, chunk * chunk_rows, std::min<Size>((chunk + 1) * chunk_rows, p.n_rows), own, ld);
    }
    for (Size step = 1; step < chunks; step *= 2) {
        for (Size chunk = 0; chunk + step < chunks; chunk += 2 * step) {
            double* const to = sums + chunk * size;
            for (Size i = 0; i < size; ++i) to[i] += to[step * size + i];
        }
    }
    for (Index i = 0; i < g.n_rows; ++i) std::copy_n(sums + i * ld, g.n_cols, g.data + i * g.ld);
}

template <class T>
void panel_update(OpenMP& backend, double alpha, HostMatrix<const std::type_identity_t<T>> x,
                  HostMatrix<const double> b, double beta, HostMatrix<T> y) {
    check_panel_update(shape_of(x), shape_of(b), shape_of(y));
    const MicroKernel<double>& kernel = micro_kernels<double>().back();
    alignas(64) double b_packed[max_panel_columns * max_padded];
    pack_columns(b, 0, b.n_rows, kernel.nr, b_packed);
    const Size strips = (Size{x.n_rows} + kernel.mr - 1) / kernel.mr;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (strips > 64)
    for (Size strip = 0; strip < strips; ++strip) {
        alignas(64) double x_packed[max_panel_columns * max_width];
        alignas(64) double tile[max_width * max_width];
        const Size begin = strip * kernel.mr;
        const Size rows = std::min<Size>(kernel.mr, x.n_rows - begin);
        pack_rows(x, begin, rows, kernel.mr, x_packed);
        for (Size j = 0; j < y.n_cols; j += kernel.nr) {
            kernel.multiply(b.n_rows, x_packed, b_packed + j * b.n_rows, alpha, 0, tile, kernel.nr);
            for (Size i = 0; i < rows; ++i) {
                for (Size col = j; col < std::min<Size>(j + kernel.nr, y.n_cols); ++col) {
                    T& place = y.data[(begin + i) * y.ld + col];
                    const double sum = tile[i * kernel.nr + col - j];
                    place = static_cast<T>(beta == 0 ? sum : sum + beta * place);
                }
            }
        }
    }
}

template void gram(OpenMP&, HostMatrix<const double>, HostMatrix<const double>, HostMatrix<double>);
template void gram(OpenMP&, HostMatrix<const float>, HostMatrix<const float>, HostMatrix<double>);
template void panel_update(OpenMP&, double, HostMatrix<const double>, HostMatrix<const double>, double,
                           HostMatrix<double>);
template void panel_update(OpenMP&, double, HostMatrix<const float>, HostMatrix<const double>, double,
                           HostMatrix<float>);

}  // namespace stiefel
