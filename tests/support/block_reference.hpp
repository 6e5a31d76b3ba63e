#pragma once

#include "stiefel/preconditioner/block_jacobi/blocks.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/fsai_reference.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace stiefel::test {

/// The block's entries of a matrix of n rows, row-major.
inline std::vector<long double> block_of(const std::vector<long double>& full, Index n,
                                         const block_jacobi::Blocks& blocks, Index b) {
    std::vector<long double> block;
    for (Index i = blocks.start[b]; i < blocks.start[b + 1]; ++i) {
        for (Index j = blocks.start[b]; j < blocks.start[b + 1]; ++j) {
            block.push_back(full[static_cast<std::size_t>(Size{i} * n + j)]);
        }
    }
    return block;
}

/// m has the inverses of s's blocks and nothing else, up to what a Cholesky factorisation in double precision and the
/// inversion of its factor lose: c k eps cond |S_b^-1| for k rows (Higham 2002, section 14.2, theorem 10.4), with room
/// for the scaling of s. It is symmetric to the bit.
inline void expect_block_inverses(const HostCsr<double>& s, const block_jacobi::Blocks& blocks,
                                  const HostCsr<double>& m) {
    const Index n = s.n_rows;
    const std::vector<long double> full = dense(s), found = dense(m);
    ASSERT_TRUE(well_formed(m));
    ASSERT_EQ(m.nnz(), blocks.entries());
    for (Index b = 0; b < blocks.number(); ++b) {
        const auto k = static_cast<std::size_t>(blocks.rows(b));
        const std::vector<long double> own = block_of(full, n, blocks, b), result = block_of(found, n, blocks, b);
        const std::vector<long double> expected = small_inverse(own, k);
        const long double norm = row_sum_norm(expected, k), condition = row_sum_norm(own, k) * norm;
        for (std::size_t e = 0; e < k * k; ++e) {
            ASSERT_TRUE(within(result[e], expected[e], sum_bound<double>(8 * k, condition * norm))) << b << " " << e;
            ASSERT_EQ(result[e], result[e % k * k + e / k]) << b << " " << e;
        }
    }
}

/// D^-1/2 M D^-1/2 r for M = m, and the same with absolute values.
template <class T>
Applied applied_blocks(const HostCsr<double>& m, const HostVector<double>& inverse_roots, const HostVector<T>& r) {
    Applied applied;
    for_rows_of(m, [&](Index i, const std::vector<Index>& cols, const std::vector<long double>& values) {
        long double sum = 0, absolute = 0;
        for (std::size_t k = 0; k < cols.size(); ++k) {
            const long double term = inverse_roots[i] * values[k] * inverse_roots[cols[k]] * r[cols[k]];
            sum += term;
            absolute += std::abs(term);
        }
        applied.z.push_back(sum);
        applied.absolute.push_back(absolute);
    });
    return applied;
}

/// A system whose rows 433 and 434 are coupled by `bad`: of its blocks of 8 rows the one from 432 on.
inline HostCsr<double> with_bad_coupling(OpenMP& backend, double bad) {
    auto a = poisson2d<double>(backend, 30, 30);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (const Index i : {433, 434}) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                if (a.col_idx[e] == 867 - i) a.values[e] = bad;
            }
        }
    });
    return a;
}

/// m leaves the rows of that block to Jacobi, and has inverses of the others.
inline void expect_bad_block_left_out(const HostCsr<double>& m) {
    for_rows_of(m, [&](Index i, const std::vector<Index>& cols, const std::vector<long double>& values) {
        for (std::size_t k = 0; k < cols.size(); ++k) {
            ASSERT_TRUE(std::isfinite(values[k]));
            if (i / 8 == 54) {
                ASSERT_EQ(values[k], cols[k] == i ? 1 : 0) << i;
            } else if (cols[k] == i) {
                ASSERT_GT(values[k], 1) << i;
            }
        }
    });
}

}  // namespace stiefel::test
