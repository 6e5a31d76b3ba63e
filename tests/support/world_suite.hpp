#pragma once

#include "support/bounds.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/world/world_operator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace stiefel::test {

// What must hold for a system whose rows lie with several ranks, called by all of them: with threads of one process as
// ranks, and with processes under mpirun.

/// Rows dealt out at random; about a third of the ranks have none.
inline RowBlocks random_blocks(Index n_rows, int n_ranks, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Size> first{0};
    for (int r = 1; r < n_ranks; ++r) {
        first.push_back(random() % 3 == 0 ? first.back()
                                          : static_cast<Size>(random() % static_cast<std::uint64_t>(n_rows + 1)));
    }
    first.push_back(n_rows);
    std::sort(first.begin(), first.end());
    return RowBlocks(std::move(first));
}

template <class T>
WorldRows<T> rows_of(const HostCsr<T>& a, const RowBlocks& blocks, int rank) {
    const Size first = blocks.first(rank), n = blocks.n_rows_of(rank);
    return a.row_ptr.visit([&](const auto* row_ptr) {
        const Size begin = row_ptr[first], nnz = row_ptr[first + n] - begin;
        WorldRows<T> rows{HostVector<Size>(n + 1), HostVector<Size>(nnz), HostVector<T>(nnz)};
        for (Size i = 0; i <= n; ++i) rows.row_ptr[i] = row_ptr[first + i] - begin;
        for (Size k = 0; k < nnz; ++k) {
            rows.col_idx[k] = a.col_idx[begin + k];
            rows.values[k] = a.values[begin + k];
        }
        return rows;
    });
}

template <class T>
HostVector<T> part_of(const HostVector<T>& whole, const RowBlocks& blocks, int rank, Index k = 1) {
    HostVector<T> part(Size{blocks.n_rows_of(rank)} * k);
    std::copy_n(whole.data() + blocks.first(rank) * k, part.size(), part.data());
    return part;
}

/// The parts of all ranks, one after the other, in each of them.
template <class T>
HostVector<T> gathered(Ranks& ranks, const RowBlocks& blocks, const HostVector<T>& part, Index k = 1) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(part.data());
    const std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks.size()),
                                        Ranks::Bytes(bytes, bytes + part.bytes()));
    HostVector<T> whole(blocks.n_rows() * k);
    Size next = 0;
    for (const Ranks::Bytes& of_rank : ranks.all_to_all(out)) {
        if (!of_rank.empty()) std::memcpy(whole.data() + next, of_rank.data(), of_rank.size());
        next += static_cast<Size>(of_rank.size() / sizeof(T));
    }
    EXPECT_EQ(next, whole.size());
    return whole;
}

template <class T>
HostVector<T> inverse_diagonal_of(const HostCsr<T>& a) {
    HostVector<T> inverse(a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) inverse[i] = 1 / a.values[k];
            }
        }
    });
    return inverse;
}

template <class B, class T>
WorldOperator<B, T> world_operator(B& backend, Ranks& ranks, const HostCsr<T>& a, const RowBlocks& blocks) {
    SplitRows<T> split = split_rows(rows_of(a, blocks, ranks.rank()), blocks, ranks.rank());
    const auto& kernel = spmv_kernels(backend, split.own).back();
    HostCsr<T> own = std::move(split.own);
    return {ranks, blocks, SpmvOperator<B, T>(std::move(own), kernel), std::move(split)};
}

template <class T>
std::vector<std::pair<std::string, HostCsr<T>>> systems() {
    OpenMP host(1);
    std::vector<std::pair<std::string, HostCsr<T>>> list;
    list.emplace_back("poisson2d 23", poisson2d<T>(host, 23, 21));
    list.emplace_back("random 300", random_spd<T>(host, 300, {.degree = 6, .shift = 0.1}));
    list.emplace_back("3 rows", poisson1d<T>(host, 3));
    return list;
}

/// y = alpha A x + beta y, <x, A x> and panels, against the products of the whole matrix in extended precision.
template <class B, class T>
void products_are_those_of_the_whole(Ranks& ranks) {
    for (const auto& system : systems<T>()) {
        const std::string& name = system.first;
        const HostCsr<T>& a = system.second;
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), seed);
            B backend{};
            backend.join(ranks);
            const auto on_world = world_operator(backend, ranks, a, blocks);
            constexpr Index k = 3;
            const HostVector<T> x = random_vector<T>(Size{a.n_rows} * k, seed),
                                y0 = random_vector<T>(x.size(), seed + 9);
            const T alpha = T(-1.5), beta = T(0.5);

            HostVector<T> y = part_of(y0, blocks, ranks.rank(), k);
            const HostVector<T> own_x = part_of(x, blocks, ranks.rank(), k);
            const Index n = blocks.n_rows_of(ranks.rank());
            spmm(backend, on_world, HostMatrix<const T>{own_x.data(), n, k, k}, HostMatrix<T>{y.data(), n, k, k}, alpha,
                 beta);
            const HostVector<T> panel = gathered(ranks, blocks, y, k);

            HostVector<T> column(n), product(n), first_x(n);
            for (Index i = 0; i < n; ++i) first_x[i] = own_x[Size{i} * k];
            for (Index i = 0; i < n; ++i) column[i] = y0[(blocks.first(ranks.rank()) + i) * k];
            spmv(backend, on_world, first_x, column, alpha, beta);
            const HostVector<T> vector = gathered(ranks, blocks, column);

            std::fill(product.begin(), product.end(), std::numeric_limits<T>::quiet_NaN());
            double dot = std::numeric_limits<double>::quiet_NaN();
            spmv_dot(backend, on_world, first_x, product, &dot);
            const HostVector<T> ax = gathered(ranks, blocks, product);

            long double exact_dot = 0, dot_bound = 0;
            a.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < a.n_rows; ++i) {
                    for (Index j = 0; j < k; ++j) {
                        long double sum = 0, absolutes = 0;
                        for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                            const long double term =
                                static_cast<long double>(a.values[e]) * x[Size{a.col_idx[e]} * k + j];
                            sum += term;
                            absolutes += std::abs(term);
                        }
                        const auto n_terms = static_cast<long double>(row_ptr[i + 1] - row_ptr[i]);
                        const long double before = y0[Size{i} * k + j];
                        const long double bound = sum_bound<T>(n_terms + 2, 1.5L * absolutes + 0.5L * std::abs(before));
                        const long double exact = alpha * sum + beta * before;
                        EXPECT_TRUE(within(panel[Size{i} * k + j], exact, bound))
                            << name << ", row " << i << ", column " << j;
                        if (j > 0) continue;
                        EXPECT_TRUE(within(vector[i], exact, bound)) << name << ", row " << i;
                        EXPECT_TRUE(within(ax[i], sum, sum_bound<T>(n_terms, absolutes))) << name << ", row " << i;
                        const long double x_i = x[Size{i} * k];
                        exact_dot += x_i * sum;
                        dot_bound += sum_bound<T>(n_terms, std::abs(x_i) * absolutes) + std::abs(x_i * sum) * 2e-13L;
                    }
                }
            });
            EXPECT_TRUE(within(dot, exact_dot, dot_bound)) << name;
        }
    }
}

/// The ranks take the same iterations, about as many as one process does, to a residual that is true.
template <class B, class T>
void cg_solves_it_in_all_alike(Ranks& ranks) {
    const double rtol = std::is_same_v<T, float> ? 1e-5 : 1e-10;
    for (const auto& system : systems<T>()) {
        const std::string& name = system.first;
        const HostCsr<T>& a = system.second;
        for (const std::uint64_t seed : {4u, 5u}) {
            const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), seed);
            const HostVector<T> b = random_vector<T>(a.n_rows, seed);
            Serial alone;
            HostVector<T> x_alone(a.n_rows);
            std::fill(x_alone.begin(), x_alone.end(), T{0});
            const HostJacobi<T> whole_diagonal{inverse_diagonal_of(a)};
            const SolveResult expected = cg(alone, a, whole_diagonal, b, x_alone, {.rtol = rtol});

            B backend{};
            backend.join(ranks);
            const auto on_world = world_operator(backend, ranks, a, blocks);
            const HostJacobi<T> m{part_of(whole_diagonal.inverse_diagonal, blocks, ranks.rank())};
            HostVector<T> x(blocks.n_rows_of(ranks.rank()));
            std::fill(x.begin(), x.end(), T{0});
            const SolveResult result = cg(backend, on_world, m, part_of(b, blocks, ranks.rank()), x, {.rtol = rtol});
            EXPECT_EQ(result.reason, StopReason::converged) << name;
            double iterations[2] = {static_cast<double>(result.iterations), -static_cast<double>(result.iterations)};
            iterations[1] += 1e6;
            ranks.all_max(iterations, 2);
            EXPECT_EQ(iterations[0], 1e6 - iterations[1]) << name << ": the most and the fewest of a rank";
            EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                        2 + 0.1 * static_cast<double>(expected.iterations));
            const long double residual = true_relative_residual(a, b, gathered(ranks, blocks, x));
            EXPECT_LE(residual, 1.1L * rtol) << name;
        }
    }
}

template <class B, class T>
void block_cg_solves_it_in_all_alike(Ranks& ranks) {
    const double rtol = std::is_same_v<T, float> ? 1e-5 : 1e-10;
    OpenMP host(1);
    const HostCsr<T> a = poisson2d<T>(host, 23, 21);
    constexpr Index k = 4;
    const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), 8);
    const Index n = blocks.n_rows_of(ranks.rank());
    const HostVector<T> b = random_vector<T>(Size{a.n_rows} * k, 3);
    B backend{};
    backend.join(ranks);
    const auto on_world = world_operator(backend, ranks, a, blocks);
    HostVector<T> zeros(Size{n} * k);
    std::fill(zeros.begin(), zeros.end(), T{0});
    const HostMultivector<T> own_b(part_of(b, blocks, ranks.rank(), k), n, k);
    HostMultivector<T> x(std::move(zeros), n, k);
    const BlockSolveResult result = block_cg(backend, on_world, Identity{}, own_b, x, {.rtol = rtol});
    EXPECT_EQ(result.reason, StopReason::converged);
    const HostVector<T> whole = gathered(ranks, blocks, x.values(), k);
    for (Index j = 0; j < k; ++j) {
        HostVector<T> b_j(a.n_rows), x_j(a.n_rows);
        for (Index i = 0; i < a.n_rows; ++i) {
            b_j[i] = b[Size{i} * k + j];
            x_j[i] = whole[Size{i} * k + j];
        }
        EXPECT_LE(true_relative_residual(a, b_j, x_j), 1.1L * rtol) << j;
    }
}

/// One rank wants to end; all do, in the same iteration.
template <class B>
void one_that_wants_to_end_ends_all(Ranks& ranks) {
    OpenMP host(1);
    const HostCsr<double> a = poisson2d<double>(host, 23, 21);
    const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks.size());
    B backend{};
    backend.join(ranks);
    const auto on_world = world_operator(backend, ranks, a, blocks);
    const HostVector<double> b = part_of(random_vector<double>(a.n_rows, 3), blocks, ranks.rank());
    HostVector<double> x(b.size());
    std::fill(x.begin(), x.end(), 0.0);
    CgOptions options{.rtol = 1e-10};
    options.monitor = [&](const CgProgress& progress) {
        return ranks.rank() != ranks.size() - 1 || progress.iteration < 7;
    };
    const SolveResult result = cg(backend, on_world, b, x, options);
    EXPECT_EQ(result.reason, StopReason::interrupted);
    EXPECT_EQ(result.iterations, 7);
}

}  // namespace stiefel::test
