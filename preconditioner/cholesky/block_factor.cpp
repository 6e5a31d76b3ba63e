#include "stiefel/preconditioner/cholesky/block_factor.hpp"

#include "stiefel/preconditioner/cholesky/shared_loop.hpp"

#include <algorithm>

namespace stiefel::cholesky {

namespace {

/// Columns that are taken from those behind them at once: with them a strip of rows stays in the first cache.
constexpr Index step = 96;

/// f(first row, rows) for even strips of at most `most` rows that begin with whole registers, on so many threads.
template <class T, class F>
void for_strips(int threads, Index rows, Index most, F&& f) {
    if (rows == 0) return;
    const Index n = (rows + most - 1) / most;
    const auto strip = static_cast<Index>(padded<T>((rows + n - 1) / n));
    shared_loop(threads, n, 1, [&](Index k) {
        const Index first = (n - 1 - k) * strip;  // the longest of a triangle's first
        if (first < rows) f(first, std::min(strip, rows - first));
    });
}

}  // namespace

template <class T>
Index factor_front(int threads, const Front<T>& front, const T* least) {
    const BlockKernels<T>& kernels = block_kernels<T>();
    // No structured binding: Clang lets none into the lambdas below.
    const Index width = front.width, height = front.height;
    const Size ld1 = front.ld1, ld2 = front.ld2;
    T* const l1 = front.l1;
    T* const l2 = front.l2;
    T* const rest = front.rest;
    for (Index j = 0; j < width; j += step) {
        const Index w = std::min(step, width - j), behind = j + w, below = width - behind;
        T* const corner = l1 + j * ld1 + j;
        const Index failed = kernels.factor(w, corner, ld1, least + j);
        if (failed < w) return j + failed;
        for_strips<T>(threads, below, kernels.strip, [&](Index i, Index rows) {
            kernels.solve_rows(rows, w, corner, ld1, l1 + j * ld1 + behind + i, ld1);
        });
        for_strips<T>(threads, below, kernels.strip, [&](Index i, Index rows) {
            const T* const left = l1 + j * ld1 + behind;
            kernels.update(rows, std::min(below, i + rows), w, left + i, ld1, left, ld1, l1 + behind * ld1 + behind + i,
                           ld1);
        });
        for_strips<T>(threads, height, kernels.strip, [&](Index i, Index rows) {
            kernels.solve_rows(rows, w, corner, ld1, l2 + j * ld2 + i, ld2);
            kernels.update(rows, below, w, l2 + j * ld2 + i, ld2, l1 + j * ld1 + behind, ld1, l2 + behind * ld2 + i,
                           ld2);
        });
        for_strips<T>(threads, height, kernels.strip, [&](Index i, Index rows) {
            const T* const left = l2 + j * ld2;
            kernels.update(rows, std::min(height, i + rows), w, left + i, ld2, left, ld2, rest + i, ld2);
        });
    }
    return width;
}

template Index factor_front(int, const Front<double>&, const double*);
template Index factor_front(int, const Front<float>&, const float*);

}  // namespace stiefel::cholesky
