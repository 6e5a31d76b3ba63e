#include "stiefel/preconditioner/triangular/level_solve.hpp"

#include <algorithm>

namespace stiefel::triangular {

namespace {

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
void LevelSolve<T>::run(MatrixView<const T, HostMemory> r, MatrixView<T, HostMemory> z) const {
    const auto of_r = [&](Index i, Index c) { return r.data[i * r.ld + c]; };
    const auto of_z = [&](Index i, Index c) { return z.data[i * z.ld + c]; };
    const LevelTriangle<T>&lower = triangles_.lower, &upper = triangles_.upper;
    const T* const inverse = triangles_.inverse.data();
    const Size levels = std::max<Size>(1, Size{lower.level_sets} + upper.level_sets);
    const bool is_shared =
        lower.is_in_levels() && upper.is_in_levels() && levels_pay(2 * Size{r.n_rows} / levels, threads_);
#pragma omp parallel num_threads(is_shared ? threads_ : 1)
    {
        substitute(lower, inverse, of_r, z);
        substitute(upper, inverse, of_z, z);
    }
}

template class LevelSolve<double>;
template class LevelSolve<float>;

}  // namespace stiefel::triangular
