#pragma once

#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/dense_symbolic.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stiefel::test {

using cholesky::IncompleteFactor;

inline std::size_t at(Size k) {
    return static_cast<std::size_t>(k);
}

/// L of a matrix with these entries below the diagonal, (row, column), each once.
template <class T>
IncompleteFactor<T> coupled(Index n, const std::vector<std::pair<Index, Index>>& entries) {
    Random random(7);
    std::vector<std::vector<std::pair<Index, T>>> rows(at(n));
    std::vector<T> sums(at(n), T{1});
    for (const auto& [i, j] : entries) {
        const auto value = static_cast<T>(random());
        rows[at(i)].emplace_back(j, value);
        rows[at(j)].emplace_back(i, value);
        sums[at(i)] += std::abs(value);
        sums[at(j)] += std::abs(value);
    }
    for (Index i = 0; i < n; ++i) {
        rows[at(i)].emplace_back(i, sums[at(i)]);
        std::sort(rows[at(i)].begin(), rows[at(i)].end());
    }
    return cholesky::incomplete_factor(csr_from_rows<T>(n, rows), {});
}

template <class T>
IncompleteFactor<T> from_double(const HostCsr<double>& a) {
    const IncompleteFactor<double> wide = cholesky::incomplete_factor(a, {});
    return {.n = wide.n, .start = wide.start, .rows = wide.rows, .values = {wide.values.begin(), wide.values.end()}};
}

/// f(name, factor): grids; rows that are levels of their own; one level; a row of all columns, at the end of L or of
/// L'; couplings that reach back further than shared memory does; rows of many lengths; next to nothing.
template <class T, class F>
void on_factors(F&& f) {
    OpenMP maker(1);
    using Entries = std::vector<std::pair<Index, Index>>;
    f("5-point", cholesky::incomplete_factor(poisson2d<T>(maker, 70, 90), {}));
    f("7-point", cholesky::incomplete_factor(jump_diffusion3d<T>(maker, 19, 17, 23, {.contrast = 100}), {}));
    f("elasticity", cholesky::incomplete_factor(elasticity3d<T>(maker, 4, 5, 3), {}));
    f("path", cholesky::incomplete_factor(poisson1d<T>(maker, 1500), {}));
    f("filled", cholesky::incomplete_factor(poisson2d<T>(maker, 40, 30), {.threshold = 1e-3, .fill = 6}));
    f("diagonal", coupled<T>(1000, {}));
    Entries last, first, far;
    constexpr Index n = 9000;
    for (Index i = 0; i + 1 < n; ++i) last.emplace_back(n - 1, i);
    for (Index i = 1; i < n; ++i) first.emplace_back(i, 0);
    for (Index i = 1; i < n; ++i) {
        if (i % 8 == 0) far.emplace_back(i, i - 8);
        if (i >= 6000) far.emplace_back(i, i - 6000);
    }
    f("last row full", coupled<T>(n, last));
    f("first column full", coupled<T>(n, first));
    f("far", coupled<T>(n, far));
    f("random", from_double<T>(random_spd(150, 3, 2, 2, 5)));
    f("two", coupled<T>(2, {{1, 0}}));
    f("one", coupled<T>(1, {}));
}

}  // namespace stiefel::test
