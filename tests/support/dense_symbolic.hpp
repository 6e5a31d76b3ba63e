#pragma once

#include "stiefel/preconditioner/cholesky/graph.hpp"

#include "support/matrices.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace stiefel::test {

/// Which entries of a factor are not zero, by elimination of an n x n matrix of yes and no: row-major, lower triangle.
class DenseFill {
public:
    /// couples(i, j): whether entry (i, j) of the matrix is there.
    template <class F>
    DenseFill(Index n, F&& couples) : n_(n), is_nonzero_(static_cast<std::size_t>(Size{n} * n), false) {
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j <= i; ++j) set(i, j, i == j || couples(i, j));
        }
        for (Index k = 0; k < n; ++k) {
            for (Index i = k + 1; i < n; ++i) {
                for (Index j = k + 1; j <= i; ++j) {
                    if ((*this)(i, k) && (*this)(j, k)) set(i, j, true);
                }
            }
        }
    }

    bool operator()(Index i, Index j) const { return is_nonzero_[place(i, j)]; }

    /// The first row below the diagonal, -1 if there is none.
    Index parent(Index j) const {
        for (Index i = j + 1; i < n_; ++i) {
            if ((*this)(i, j)) return i;
        }
        return -1;
    }

private:
    std::size_t place(Index i, Index j) const { return static_cast<std::size_t>(Size{i} * n_ + j); }
    void set(Index i, Index j, bool value) { is_nonzero_[place(i, j)] = value; }

    Index n_;
    std::vector<bool> is_nonzero_;
};

/// A symmetric matrix, strictly diagonally dominant: some `per_row` entries a row beside the diagonal, with rows
/// `alike` at a time coupled to each other and to the same others; the first `full` groups are coupled to all.
inline HostCsr<double> random_spd(Index groups, double per_row, Index alike, Index full, std::uint64_t seed) {
    Random random(seed);
    const auto n = static_cast<std::size_t>(groups);
    std::vector<std::vector<bool>> coupled(n, std::vector<bool>(n, false));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_full = j < static_cast<std::size_t>(full);
            coupled[i][j] = coupled[j][i] = is_full || random() > 1 - 2 * per_row / groups;
        }
        coupled[i][i] = true;
    }
    const Index size = groups * alike;
    std::vector<std::vector<double>> entries(static_cast<std::size_t>(size));
    std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(size));
    std::vector<double> sums(static_cast<std::size_t>(size), 0.0);
    const auto at = [](Index i) { return static_cast<std::size_t>(i); };
    for (Index i = 0; i < size; ++i) {
        entries[at(i)].resize(at(size), 0.0);
        for (Index j = 0; j < i; ++j) {
            if (!coupled[at(i / alike)][at(j / alike)]) continue;
            const double value = random();
            entries[at(i)][at(j)] = value;
            entries[at(j)][at(i)] = value;
            sums[at(i)] += std::abs(value);
            sums[at(j)] += std::abs(value);
        }
    }
    for (Index i = 0; i < size; ++i) {
        for (Index j = 0; j < size; ++j) {
            if (i == j) rows[at(i)].emplace_back(j, sums[at(i)] + 1);
            if (i != j && coupled[at(i / alike)][at(j / alike)]) rows[at(i)].emplace_back(j, entries[at(i)][at(j)]);
        }
    }
    return csr_from_rows<double>(size, rows);
}

}  // namespace stiefel::test
