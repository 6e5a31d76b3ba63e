#include "stiefel/dense/panel.hpp"
#include "stiefel/core/cache_lines.hpp"
#include "stiefel/core/round_up.hpp"
#include "stiefel/dense/host/register_tile.hpp"
#include "stiefel/dense/packed/panel_kernel.hpp"
#include "stiefel/dense/panel_arguments.hpp"

#include <omp.h>

#include <algorithm>

namespace stiefel {

namespace {

/// Most partial sums that a Gram matrix is gathered from.
constexpr Size max_chunks = 256;

/// Rows are taken in blocks that stay in L1, with those that are fetched meanwhile, while every tile of sums passes
/// over them. Long blocks spare work on the sums, short ones spread the fetching: 2 KiB was the best of 2 to 8.
constexpr Size block_doubles = 256;
constexpr Size min_block_rows = 16;
constexpr Size max_block_rows = 256;
constexpr Size room_doubles = std::max(block_doubles, min_block_rows* max_panel_columns);

/// Blocks that gram() fetches ahead of the one it works on; widening fetches for itself.
template <class T>
constexpr Size fetched_ahead = std::is_same_v<T, double> ? 2 : 0;

/// Of panels of at most `width` columns.
Size block_rows(Size width) {
    return std::clamp(block_doubles / std::max<Size>(1, width) / 16 * 16, min_block_rows, max_block_rows);
}

/// Whether gram() finds one panel twice: then it sums the upper triangle alone.
template <class Panel>
bool are_same(const Panel& p, const Panel& q) {
    return p.data == q.data && p.ld == q.ld && p.n_cols == q.n_cols;
}

/// Rows of a panel as doubles: where they lie if they are doubles, else widened into `room`.
PanelRows<const double> as_doubles(const PanelKernel&, const HostMatrix<const double>& a, Size begin, Size, double*) {
    return {a.data + begin * a.ld, a.n_cols, a.ld};
}
PanelRows<const double> as_doubles(const PanelKernel& kernel, const HostMatrix<const float>& a, Size begin, Size end,
                                   double* room) {
    if (a.ld == a.n_cols) {
        kernel.widen(a.data + begin * a.ld, (end - begin) * a.ld, room);
    } else {
        for (Size row = begin; row < end; ++row) {
            kernel.widen(a.data + row * a.ld, a.n_cols, room + (row - begin) * a.n_cols);
        }
    }
    return {room, a.n_cols, a.n_cols};
}

/// Adds P' Q of rows begin .. end - 1 to `sums`.
template <class T>
void add_gram(const HostMatrix<const T>& p, const HostMatrix<const T>& q, Size begin, Size end, double* sums, Size ld) {
    alignas(64) double p_room[room_doubles];
    alignas(64) double q_room[room_doubles];
    const PanelKernel& kernel = panel_kernels().back();
    const Size step = block_rows(std::max(p.n_cols, q.n_cols));
    for (; begin < end; begin += step) {
        const Size stop = std::min(begin + step, end);
        const PanelRows<const double> p_rows = as_doubles(kernel, p, begin, stop, p_room);
        const PanelRows<const double> q_rows = are_same(p, q) ? p_rows : as_doubles(kernel, q, begin, stop, q_room);
        kernel.add_gram(stop - begin, p_rows, q_rows, fetched_ahead<T> * step, sums, ld);
    }
}

}  // namespace

template <class T>
void gram(OpenMP& backend, HostMatrix<const T> p, HostMatrix<const std::type_identity_t<T>> q, HostMatrix<double> g) {
    check_gram(shape_of(p), shape_of(q), shape_of(g));
    const Size ld = round_up(q.n_cols, 8);
    const Size size = p.n_cols * ld;
    const Size chunk_rows = round_up(std::max<Size>(1, (p.n_rows + max_chunks - 1) / max_chunks), max_block_rows);
    const Size chunks = std::max<Size>(1, (p.n_rows + chunk_rows - 1) / chunk_rows);
    double* const sums = backend.partials(chunks * size);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (chunks > 1)
    for (Size chunk = 0; chunk < chunks; ++chunk) {
        double* const own = sums + chunk * size;
        std::fill_n(own, size, 0.0);
        add_gram<T>(p, q, chunk * chunk_rows, std::min<Size>((chunk + 1) * chunk_rows, p.n_rows), own, ld);
    }
    for (Size step = 1; step < chunks; step *= 2) {
        for (Size chunk = 0; chunk + step < chunks; chunk += 2 * step) {
            double* const to = sums + chunk * size;
            for (Size i = 0; i < size; ++i) to[i] += to[step * size + i];
        }
    }
    for (Size i = 0; i < g.n_rows; ++i) {
        for (Size j = 0; j < g.n_cols; ++j) {
            g.data[i * g.ld + j] = are_same(p, q) && j < i ? sums[j * ld + i] : sums[i * ld + j];
        }
    }
    all_sum(backend, g.data, g.n_rows, g.n_cols, g.ld);
}

namespace {

void update(const PanelKernel& kernel, Size rows, double alpha, PanelRows<const double> x, const double* b, Size ldb,
            double beta, PanelRows<double> y, bool stream) {
    kernel.update_double(rows, alpha, x, b, ldb, beta, y, stream);
}
void update(const PanelKernel& kernel, Size rows, double alpha, PanelRows<const double> x, const double* b, Size ldb,
            double beta, PanelRows<float> y, bool stream) {
    kernel.update_float(rows, alpha, x, b, ldb, beta, y, stream);
}

/// Whether Y is better written around the caches.
template <class T>
bool streams(const HostMatrix<T>& y) {
    return worth_streaming(y.n_rows * y.n_cols * static_cast<Size>(sizeof(T))) &&
           fills_cache_lines(y.data, y.n_cols, y.ld);
}

}  // namespace

template <class T>
void panel_update(OpenMP& backend, double alpha, HostMatrix<const std::type_identity_t<T>> x,
                  HostMatrix<const double> b, double beta, HostMatrix<T> y) {
    check_panel_update(shape_of(x), shape_of(b), shape_of(y));
    const PanelKernel& kernel = panel_kernels().back();
    alignas(64) double b_padded[max_panel_columns * max_panel_columns];
    const Size ldb = round_up(b.n_cols, 8);
    std::fill_n(b_padded, b.n_rows * ldb, 0.0);
    for (Size i = 0; i < b.n_rows; ++i) std::copy_n(b.data + i * b.ld, b.n_cols, b_padded + i * ldb);
    const bool stream = beta == 0 && streams(y);
    const Size step = block_rows(x.n_cols);
    const Size blocks = (x.n_rows + step - 1) / step;
#pragma omp parallel num_threads(backend.threads()) if (blocks > 4)
    {
        alignas(64) double room[room_doubles];
#pragma omp for schedule(static)
        for (Size block = 0; block < blocks; ++block) {
            const Size begin = block * step;
            const Size end = std::min<Size>(begin + step, x.n_rows);
            update(kernel, end - begin, alpha, as_doubles(kernel, x, begin, end, room), b_padded, ldb, beta,
                   PanelRows<T>{y.data + begin * y.ld, y.n_cols, y.ld}, stream);
        }
        if (stream) stream_fence();
    }
}

template void gram(OpenMP&, HostMatrix<const double>, HostMatrix<const double>, HostMatrix<double>);
template void gram(OpenMP&, HostMatrix<const float>, HostMatrix<const float>, HostMatrix<double>);
template void panel_update(OpenMP&, double, HostMatrix<const double>, HostMatrix<const double>, double,
                           HostMatrix<double>);
template void panel_update(OpenMP&, double, HostMatrix<const float>, HostMatrix<const double>, double,
                           HostMatrix<float>);

}  // namespace stiefel
