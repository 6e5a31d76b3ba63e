#include "stiefel/preconditioner/cholesky/level_solve.hpp"

#include <algorithm>
#include <utility>

namespace stiefel::cholesky {

namespace {

/// Rows of a level, in the mean, from which threads repay waiting for each other.
constexpr Size rows_to_share = 400;

/// In the order of levels; `of(row, f)` calls f(column, value) for the entries of a row beside the diagonal, whose
/// columns come before it; `nth(k)` is the row that comes k-th.
template <class T, class Nth, class Of>
LevelTriangle<T> in_levels(Index n, Size nonzeros, Nth&& nth, Of&& of) {
    HostVector<Index> level(n);
    Index n_levels = 0;
    for (Index k = 0; k < n; ++k) {
        const Index i = nth(k);
        Index own = 0;
        of(i, [&](Index j, T) { own = std::max(own, level[j] + 1); });
        level[i] = own;
        n_levels = std::max(n_levels, own + 1);
    }
    LevelTriangle<T> triangle{.level_start = HostVector<Index>(Size{n_levels} + 1, 0),
                              .row = HostVector<Index>(n),
                              .row_start = HostVector<Size>(Size{n} + 1),
                              .cols = HostVector<Index>(nonzeros),
                              .values = HostVector<T>(nonzeros)};
    for (Index i = 0; i < n; ++i) ++triangle.level_start[level[i] + 1];
    for (Index l = 0; l < n_levels; ++l) triangle.level_start[l + 1] += triangle.level_start[l];
    HostVector<Index> next(n_levels);
    std::copy_n(triangle.level_start.begin(), n_levels, next.begin());
    for (Index k = 0; k < n; ++k) triangle.row[next[level[nth(k)]]++] = nth(k);
    Size place = 0;
    for (Index k = 0; k < n; ++k) {
        triangle.row_start[k] = place;
        of(triangle.row[k], [&](Index j, T value) {
            triangle.cols[place] = j;
            triangle.values[place++] = value;
        });
    }
    triangle.row_start[n] = place;
    return triangle;
}

/// z_i = (from_i - sum of l_ij z_j) / l_ii for the rows of a triangle; to be called by all threads of a team.
template <class T, class From>
void substitute(const LevelTriangle<T>& triangle, const T* inverse, From&& from, MatrixView<T, HostMemory> z) {
    const Index k = z.n_cols;
    for (Index level = 0; level < triangle.n_levels(); ++level) {
#pragma omp for schedule(static)
        for (Index place = triangle.level_start[level]; place < triangle.level_start[level + 1]; ++place) {
            const Index i = triangle.row[place];
            T* const own = z.data + i * z.ld;
            const Size first = triangle.row_start[place], last = triangle.row_start[place + 1];
            if (k == 1) {
                T sum = from(i, 0);
                for (Size e = first; e < last; ++e) sum -= triangle.values[e] * z.data[triangle.cols[e] * z.ld];
                *own = sum * inverse[i];
                continue;
            }
            for (Index c = 0; c < k; ++c) own[c] = from(i, c);
            for (Size e = first; e < last; ++e) {
                const T* const other = z.data + triangle.cols[e] * z.ld;
                for (Index c = 0; c < k; ++c) own[c] -= triangle.values[e] * other[c];
            }
            for (Index c = 0; c < k; ++c) own[c] *= inverse[i];
        }
    }
}

}  // namespace

template <class T>
LevelSolve<T>::LevelSolve(const IncompleteFactor<T>& factor, int threads) : inverse_(factor.n), threads_(threads) {
    const Index n = factor.n;
    const auto at = [](Size k) { return static_cast<std::size_t>(k); };
    HostVector<Size> start(Size{n} + 1, 0);
    for (const Index i : factor.rows) ++start[i + 1];
    for (Index i = 0; i < n; ++i) start[i + 1] += start[i] - 1;  // without the diagonal
    HostVector<Index> cols(start[n]);
    HostVector<T> values(start[n]);
    HostVector<Size> next = start.clone();
    for (Index j = 0; j < n; ++j) {
        const Size first = factor.start[at(j)], last = factor.start[at(Size{j} + 1)];
        inverse_[j] = T{1} / factor.values[at(first)];
        for (Size k = first + 1; k < last; ++k) {
            const Size place = next[factor.rows[at(k)]]++;
            cols[place] = j;
            values[place] = factor.values[at(k)];
        }
    }
    lower_ = in_levels<T>(
        n, start[n], [](Index k) { return k; },
        [&](Index i, auto&& f) {
            for (Size k = start[i]; k < start[i + 1]; ++k) f(cols[k], values[k]);
        });
    upper_ = in_levels<T>(
        n, start[n], [n](Index k) { return n - 1 - k; },
        [&](Index i, auto&& f) {
            for (Size k = factor.start[at(i)] + 1; k < factor.start[at(Size{i} + 1)]; ++k) {
                f(factor.rows[at(k)], factor.values[at(k)]);
            }
        });
}

template <class T>
void LevelSolve<T>::run(MatrixView<const T, HostMemory> r, MatrixView<T, HostMemory> z) const {
    const auto of_r = [&](Index i, Index c) { return r.data[i * r.ld + c]; };
    const auto of_z = [&](Index i, Index c) { return z.data[i * z.ld + c]; };
    const Size levels = std::max<Size>(1, Size{lower_.n_levels()} + upper_.n_levels());
    const bool is_shared = 2 * Size{r.n_rows} / levels >= rows_to_share;
#pragma omp parallel num_threads(is_shared ? threads_ : 1)
    {
        substitute(lower_, inverse_.data(), of_r, z);
        substitute(upper_, inverse_.data(), of_z, z);
    }
}

template class LevelSolve<double>;
template class LevelSolve<float>;

}  // namespace stiefel::cholesky
