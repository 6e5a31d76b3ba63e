#pragma once

#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/csr.hpp"

#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace stiefel::test {

/// A grid whose couplings are all of another strength, so that no two columns are worth the same.
template <class T>
HostCsr<T> uneven_grid(OpenMP& maker) {
    HostCsr<T> a = poisson2d<T>(maker, 11, 9);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                const Index first = std::min(i, a.col_idx[e]), second = std::max(i, a.col_idx[e]);
                if (first != second)
                    a.values[e] *= static_cast<T>(0.4 + 0.6 * ((first * 61 + second * 37) % 101 / 101.0));
            }
        }
    });
    return a;
}

/// A grid of 900 points with a_ij = -2 a_ii for the neighbour to the left of that one.
inline HostCsr<double> indefinite_grid(OpenMP& maker, Index row) {
    HostCsr<double> a = poisson2d<double>(maker, 30, 30);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Size e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
            if (a.col_idx[e] == row - 1) a.values[e] = -8;
        }
        for (Size e = row_ptr[row - 1]; e < row_ptr[row]; ++e) {
            if (a.col_idx[e] == row) a.values[e] = -8;
        }
    });
    return a;
}

/// Dense, row by row: where |s_ij| > threshold, and the diagonal.
inline std::vector<bool> strong_reference(const HostCsr<double>& s, double threshold) {
    std::vector<bool> strong;
    for (const long double value : dense(s)) strong.push_back(std::abs(value) > threshold);
    return strong;
}

inline std::vector<bool> boolean_product(const std::vector<bool>& a, const std::vector<bool>& b, Index size) {
    const auto n = static_cast<std::size_t>(size);
    std::vector<bool> c(n * n, false);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            if (!a[i * n + k]) continue;
            for (std::size_t j = 0; j < n; ++j) c[i * n + j] = c[i * n + j] || b[k * n + j];
        }
    }
    return c;
}

/// f(row, its columns, its values)
template <class F>
void for_rows_of(const HostCsr<double>& g, F&& f) {
    g.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < g.n_rows; ++i) {
            f(i, std::vector<Index>(g.col_idx.data() + row_ptr[i], g.col_idx.data() + row_ptr[i + 1]),
              std::vector<long double>(g.values.data() + row_ptr[i], g.values.data() + row_ptr[i + 1]));
        }
    });
}

/// That row has grown, and not by that column.
inline void expect_grown_without(const HostCsr<double>& g, Index row, Index column) {
    for_rows_of(g, [&](Index i, const std::vector<Index>& cols, const auto&) {
        if (i != row) return;
        EXPECT_EQ(std::ranges::count(cols, column), 0);
        EXPECT_GT(cols.size(), 1U);
    });
}

/// The inverse of a small matrix by Gauss and Jordan, definite, so without pivots.
inline std::vector<long double> small_inverse(std::vector<long double> a, std::size_t n) {
    std::vector<long double> inverse(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
    for (std::size_t k = 0; k < n; ++k) {
        const long double pivot = a[k * n + k];
        for (std::size_t j = 0; j < n; ++j) {
            a[k * n + j] /= pivot;
            inverse[k * n + j] /= pivot;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const long double factor = a[i * n + k];
            if (i == k || factor == 0) continue;
            for (std::size_t j = 0; j < n; ++j) {
                a[i * n + j] -= factor * a[k * n + j];
                inverse[i * n + j] -= factor * inverse[k * n + j];
            }
        }
    }
    return inverse;
}

inline long double row_sum_norm(const std::vector<long double>& a, std::size_t n) {
    long double norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += std::abs(a[i * n + j]);
        norm = std::max(norm, sum);
    }
    return norm;
}

/// Rows of G are y / sqrt(y_i), S_JJ y = e_i, up to what a factorisation in double precision loses: c m eps cond(S_JJ)
/// (Higham 2002, theorem 10.4), with room for the square root and the scaling.
inline void expect_local_solutions(const HostCsr<double>& s, const HostCsr<double>& g) {
    const std::vector<long double> full = dense(s);
    for_rows_of(g, [&](Index i, const std::vector<Index>& cols, const std::vector<long double>& values) {
        const std::size_t m = cols.size();
        ASSERT_GE(m, 1U);
        ASSERT_EQ(cols.back(), i);
        std::vector<long double> local;
        for (const Index row : cols) {
            for (const Index col : cols) local.push_back(full[static_cast<std::size_t>(row * s.n_rows + col)]);
        }
        const std::vector<long double> inverse = small_inverse(local, m);
        const long double condition = row_sum_norm(local, m) * row_sum_norm(inverse, m);
        const long double root = std::sqrt(inverse[m * m - 1]);
        for (std::size_t k = 0; k < m; ++k) {
            const long double bound = sum_bound<double>(4 * m, condition * root);
            ASSERT_TRUE(within(values[k], inverse[(m - 1) * m + k] / root, bound)) << i << " " << k;
        }
    });
}

/// Columns of row i of G that grow in so many steps: of S the entries in `couplings`, in extended precision. The least
/// energy of a row with columns J whose own entry is 1 is 1 / (S_JJ^-1)_ii.
inline std::vector<Index> grown_reference(const HostCsr<double>& s, const std::vector<bool>& couplings, Index i,
                                          Size steps, std::size_t columns_a_step, long double least_gain) {
    const std::vector<long double> full = dense(s);
    const auto at = [&](Index row, Index col) { return static_cast<std::size_t>(row * s.n_cols + col); };
    std::vector<Index> cols{i};
    std::vector<long double> row{1};
    long double energy = 1;
    for (Size step = 0; step < steps; ++step) {
        std::vector<std::pair<long double, Index>> slopes;
        for (Index c = 0; c < i; ++c) {
            if (std::ranges::count(cols, c) > 0) continue;
            long double slope = 0;
            for (std::size_t k = 0; k < cols.size(); ++k) {
                if (couplings[at(cols[k], c)]) slope += full[at(cols[k], c)] * row[k];
            }
            if (slope != 0) slopes.emplace_back(-std::abs(slope), c);
        }
        if (slopes.empty()) break;
        std::ranges::sort(slopes);
        slopes.resize(std::min(slopes.size(), columns_a_step));
        for (const auto& steep : slopes) cols.push_back(steep.second);
        std::vector<long double> local;
        for (const Index r : cols) {
            for (const Index c : cols) local.push_back(full[at(r, c)]);
        }
        const std::vector<long double> inverse = small_inverse(local, cols.size());
        row.assign(inverse.begin(), inverse.begin() + static_cast<std::ptrdiff_t>(cols.size()));
        const long double before = std::exchange(energy, 1 / inverse[0]);
        if (energy >= (1 - least_gain) * before) break;
    }
    std::ranges::sort(cols);
    return cols;
}

/// diag(G S G') = 1.
inline void expect_unit_energy(const HostCsr<double>& s, const HostCsr<double>& g) {
    const std::vector<long double> full = dense(s);
    for_rows_of(g, [&](Index i, const std::vector<Index>& cols, const std::vector<long double>& values) {
        long double sum = 0, absolute = 0;
        for (std::size_t p = 0; p < cols.size(); ++p) {
            for (std::size_t q = 0; q < cols.size(); ++q) {
                const long double entry = full[static_cast<std::size_t>(cols[p] * s.n_rows + cols[q])];
                sum += values[p] * entry * values[q];
                absolute += std::abs(values[p] * entry * values[q]);
            }
        }
        ASSERT_TRUE(within(sum, 1, sum_bound<double>(4 * cols.size(), absolute))) << i;
    });
}

/// `some` has the entries of `full` that are larger than `drop` times their row's diagonal entry, times one number.
inline void expect_dropped(const HostCsr<double>& full, const HostCsr<double>& some, double drop) {
    std::vector<std::vector<std::pair<Index, long double>>> expected;
    for_rows_of(full, [&](Index, const std::vector<Index>& cols, const std::vector<long double>& values) {
        auto& row = expected.emplace_back();
        for (std::size_t k = 0; k < cols.size(); ++k) {
            if (std::abs(values[k]) > drop * values.back()) row.emplace_back(cols[k], values[k]);
        }
    });
    for_rows_of(some, [&](Index i, const std::vector<Index>& cols, const std::vector<long double>& values) {
        const auto& row = expected[static_cast<std::size_t>(i)];
        ASSERT_EQ(cols.size(), row.size()) << i;
        for (std::size_t k = 0; k < cols.size(); ++k) {
            ASSERT_EQ(cols[k], row[k].first);
            ASSERT_NEAR(static_cast<double>(values[k] / values.back()),
                        static_cast<double>(row[k].second / row.back().second), 1e-14);
        }
    });
}

inline void expect_same_bits(const HostCsr<double>& a, const HostCsr<double>& b) {
    ASSERT_EQ(a.nnz(), b.nnz());
    a.row_ptr.visit([&](const auto* of_a) {
        b.row_ptr.visit([&](const auto* of_b) {
            for (Index i = 0; i <= a.n_rows; ++i) ASSERT_EQ(of_a[i], of_b[i]);
        });
    });
    EXPECT_EQ(std::memcmp(a.col_idx.data(), b.col_idx.data(), static_cast<std::size_t>(a.col_idx.bytes())), 0);
    EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), static_cast<std::size_t>(a.values.bytes())), 0);
}

struct Applied {
    std::vector<long double> z, absolute;
};

/// D^-1/2 G' G D^-1/2 r, and the same with absolute values.
template <class T>
Applied applied_reference(const HostCsr<double>& g, const HostVector<double>& inverse_roots, const HostVector<T>& r) {
    const auto n = static_cast<std::size_t>(g.n_rows);
    Applied applied{std::vector<long double>(n, 0), std::vector<long double>(n, 0)};
    for_rows_of(g, [&](Index, const std::vector<Index>& cols, const std::vector<long double>& values) {
        long double sum = 0, absolute = 0;
        for (std::size_t k = 0; k < cols.size(); ++k) {
            const long double product = values[k] * inverse_roots[cols[k]] * r[cols[k]];
            sum += product;
            absolute += std::abs(product);
        }
        for (std::size_t k = 0; k < cols.size(); ++k) {
            const long double factor = values[k] * inverse_roots[cols[k]];
            applied.z[static_cast<std::size_t>(cols[k])] += factor * sum;
            applied.absolute[static_cast<std::size_t>(cols[k])] += std::abs(factor) * absolute;
        }
    });
    return applied;
}

}  // namespace stiefel::test
