#pragma once

#include "support/bounds.hpp"
#include "support/brought.hpp"
#include "support/inverse_diagonal.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/solver/power_iteration.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/world_operator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

/// A backend that has joined the ranks.
template <class B>
struct Joined {
    explicit Joined(Ranks& all) : ranks(all) { backend.join(ranks); }

    Ranks& ranks;
    B backend{};
};
/// One GPU for each rank, as far as there are. With STIEFEL_TEST_WAYS=by_hosts none reaches another's memory.
template <>
struct Joined<Cuda> {
    explicit Joined(Ranks& all) : backend(all.rank() % n_cuda_devices()), ranks(all, backend, ways()) {
        backend.join(ranks);
    }

    static CudaWorld::Ways ways() {
        const char* const asked = std::getenv("STIEFEL_TEST_WAYS");
        return asked != nullptr && std::string(asked) == "by_hosts" ? CudaWorld::Ways::by_hosts
                                                                    : CudaWorld::Ways::shortest;
    }

    Cuda backend;
    CudaWorld ranks;
};

template <class B, class T>
WorldOperator<B, T> world_operator(B& backend, RanksOf<B>& ranks, const HostCsr<T>& a, const RowBlocks& blocks) {
    SplitRows<T> split = split_rows(rows_of(a, blocks, ranks.rank()), blocks, ranks.rank());
    auto own = brought(backend, split.own);
    const auto& kernel = spmv_kernels(backend, own).back();
    return {backend, ranks, blocks, SpmvOperator<B, T>(std::move(own), kernel), std::move(split)};
}

template <class B, class T>
HostVector<T> on_host(B& backend, const VectorOf<B, T>& v) {
    HostVector<T> here(v.size());
    download(backend, v, here);
    return here;
}

/// A panel of n rows, of a vector on the host.
template <class B, class T>
MultivectorOf<B, T> panel_of(B& backend, const HostVector<T>& values, Index n, Index k) {
    return {brought(backend, values), n, k};
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

/// Rows of which each needs the next one's element: ranks that send do not receive from those that they send to.
template <class T>
HostCsr<T> one_way(Index n) {
    std::vector<std::vector<std::pair<Index, T>>> rows;
    for (Index i = 0; i + 1 < n; ++i) rows.push_back({{i, T(2)}, {i + 1, T(-0.75)}});
    rows.push_back({{n - 1, T(2)}});
    return csr_from_rows<T>(n, rows);
}

/// y = alpha A x + beta y, <x, A x> and panels, against the products of the whole matrix in extended precision.
template <class B, class T>
void products_are_those_of_the_whole(Ranks& ranks) {
    auto list = systems<T>();
    list.emplace_back("one way", one_way<T>(50));
    for (const auto& system : list) {
        const std::string& name = system.first;
        const HostCsr<T>& a = system.second;
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), seed);
            Joined<B> joined(ranks);
            B& backend = joined.backend;
            const auto on_world = world_operator(backend, joined.ranks, a, blocks);
            constexpr Index k = 3;
            const HostVector<T> x = random_vector<T>(Size{a.n_rows} * k, seed),
                                y0 = random_vector<T>(x.size(), seed + 9);
            const T alpha = T(-1.5), beta = T(0.5);

            const Index n = blocks.n_rows_of(ranks.rank());
            const HostVector<T> own_x = part_of(x, blocks, ranks.rank(), k);
            const auto x_panel = panel_of(backend, own_x, n, k);
            auto y_panel = panel_of(backend, part_of(y0, blocks, ranks.rank(), k), n, k);
            spmm(backend, on_world, x_panel.view(), y_panel.view(), alpha, beta);
            const HostVector<T> panel = gathered(ranks, blocks, on_host<B, T>(backend, y_panel.values()), k);

            HostVector<T> column(n), first_x(n);
            for (Index i = 0; i < n; ++i) first_x[i] = own_x[Size{i} * k];
            for (Index i = 0; i < n; ++i) column[i] = y0[(blocks.first(ranks.rank()) + i) * k];
            const auto x_vector = brought(backend, first_x);
            auto y_vector = brought(backend, column);
            spmv(backend, on_world, x_vector, y_vector, alpha, beta);
            const HostVector<T> vector = gathered(ranks, blocks, on_host<B, T>(backend, y_vector));

            auto product = brought(backend, HostVector<T>(n, std::numeric_limits<T>::quiet_NaN()));
            auto on_backend = brought(backend, HostVector<double>(1, std::numeric_limits<double>::quiet_NaN()));
            spmv_dot(backend, on_world, x_vector, product, on_backend.data());
            const double dot = load(backend, on_backend);
            const HostVector<T> ax = gathered(ranks, blocks, on_host<B, T>(backend, product));

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

            Joined<B> joined(ranks);
            B& backend = joined.backend;
            const auto on_world = world_operator(backend, joined.ranks, a, blocks);
            const Jacobi<T, typename B::memory> m{
                brought(backend, part_of(whole_diagonal.inverse_diagonal, blocks, ranks.rank()))};
            auto x = brought(backend, HostVector<T>(blocks.n_rows_of(ranks.rank()), T{0}));
            const auto own_b = brought(backend, part_of(b, blocks, ranks.rank()));
            const SolveResult result = cg(backend, on_world, m, own_b, x, {.rtol = rtol});
            EXPECT_EQ(result.reason, StopReason::converged) << name;
            double iterations[2] = {static_cast<double>(result.iterations), -static_cast<double>(result.iterations)};
            iterations[1] += 1e6;
            ranks.all_max(iterations, 2);
            EXPECT_EQ(iterations[0], 1e6 - iterations[1]) << name << ": the most and the fewest of a rank";
            EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                        2 + 0.1 * static_cast<double>(expected.iterations));
            const long double residual =
                true_relative_residual(a, b, gathered(ranks, blocks, on_host<B, T>(backend, x)));
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
    Joined<B> joined(ranks);
    B& backend = joined.backend;
    const auto on_world = world_operator(backend, joined.ranks, a, blocks);
    const auto own_b = panel_of(backend, part_of(b, blocks, ranks.rank(), k), n, k);
    auto x = panel_of(backend, HostVector<T>(Size{n} * k, T{0}), n, k);
    const BlockSolveResult result = block_cg(backend, on_world, Identity{}, own_b, x, {.rtol = rtol});
    EXPECT_EQ(result.reason, StopReason::converged);
    const HostVector<T> whole = gathered(ranks, blocks, on_host<B, T>(backend, x.values()), k);
    for (Index j = 0; j < k; ++j) {
        HostVector<T> b_j(a.n_rows), x_j(a.n_rows);
        for (Index i = 0; i < a.n_rows; ++i) {
            b_j[i] = b[Size{i} * k + j];
            x_j[i] = whole[Size{i} * k + j];
        }
        EXPECT_LE(true_relative_residual(a, b_j, x_j), 1.1L * rtol) << j;
    }
}

/// |A v - lambda v| / |lambda|, v of unit length.
template <class T>
long double eigen_residual(const HostCsr<T>& a, const HostVector<T>& vectors, Index k, Index j, double value) {
    long double residual2 = 0, length2 = 0;
    const auto at = [&](Size i) { return static_cast<long double>(vectors[i * k + j]); };
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            long double r = -value * at(i);
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                r += static_cast<long double>(a.values[e]) * at(a.col_idx[e]);
            }
            residual2 += r * r;
            length2 += at(i) * at(i);
        }
    });
    return std::sqrt(residual2 / length2) / std::abs(value);
}

/// The ranks find what one process finds, from the same start vectors, in about as many iterations.
template <class B, class T, class Find>
void expect_eigenpairs_of_the_whole(Ranks& ranks, const HostCsr<T>& a, Index k, double rtol, Find&& find) {
    Serial alone;
    auto x_alone = random_multivector<T>(alone, a.n_rows, k);
    const EigenResult expected = find(alone, a, x_alone);
    const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), 11);
    Joined<B> joined(ranks);
    B& backend = joined.backend;
    const auto on_world = world_operator(backend, joined.ranks, a, blocks);
    auto x = random_multivector<T>(backend, blocks.n_rows_of(ranks.rank()), k);
    const EigenResult result = find(backend, on_world, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                3 + 0.1 * static_cast<double>(expected.iterations));
    const HostVector<T> vectors = gathered(ranks, blocks, on_host<B, T>(backend, x.values()), k);
    ASSERT_EQ(result.pairs.size(), expected.pairs.size());
    for (Index j = 0; j < k; ++j) {
        const double value = result.pairs[static_cast<std::size_t>(j)].value;
        const double of_one = expected.pairs[static_cast<std::size_t>(j)].value;
        EXPECT_NEAR(value, of_one, 2 * rtol * std::abs(of_one)) << j;
        EXPECT_LE(eigen_residual(a, vectors, k, j, value), 1.1L * rtol) << j;
    }
}

template <class B, class T>
void eigenpairs_are_those_of_the_whole(Ranks& ranks) {
    const double rtol = std::is_same_v<T, float> ? 2e-4 : 1e-8;
    OpenMP host(1);
    const HostCsr<T> grid = poisson2d<T>(host, 23, 21);
    expect_eigenpairs_of_the_whole<B>(ranks, grid, 3, rtol, [&](auto& backend, const auto& a, auto& x) {
        return lobpcg(backend, a, x, {.rtol = rtol});
    });
    expect_eigenpairs_of_the_whole<B>(ranks, grid, 2, rtol, [&](auto& backend, const auto& a, auto& x) {
        return subspace_iteration(backend, a, x, {.which = EigenEnd::largest, .rtol = rtol, .filter_degree = 10});
    });
    const HostCsr<T> heavy = random_spd<T>(host, 300, {.degree = 6, .shift = 0.1});
    expect_eigenpairs_of_the_whole<B>(ranks, heavy, 1, rtol, [&](auto& backend, const auto& a, auto& x) {
        return power_iteration(backend, a, x, {.which = EigenEnd::largest, .rtol = rtol});
    });
    // Few rows in all: the dense method.
    const HostCsr<T> small = poisson2d<T>(host, 12, 9);
    expect_eigenpairs_of_the_whole<B>(ranks, small, 4, rtol, [&](auto& backend, const auto& a, auto& x) {
        return lobpcg(backend, a, x, {.rtol = rtol});
    });
}

/// One rank wants to end; all do, in the same iteration.
template <class B>
void one_that_wants_to_end_ends_all(Ranks& ranks) {
    OpenMP host(1);
    // On a GPU one that does not converge within the iterations by which its loop runs ahead of its host.
    const HostCsr<double> a = HostBackend<B> ? poisson2d<double>(host, 23, 21) : poisson1d<double>(host, 3000);
    const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks.size());
    Joined<B> joined(ranks);
    B& backend = joined.backend;
    const auto on_world = world_operator(backend, joined.ranks, a, blocks);
    const auto b = brought(backend, part_of(random_vector<double>(a.n_rows, 3), blocks, ranks.rank()));
    auto x = brought(backend, HostVector<double>(b.size(), 0.0));
    CgOptions options{.rtol = 1e-10};
    options.monitor = [&](const CgProgress& progress) {
        return ranks.rank() != ranks.size() - 1 || progress.iteration < 7;
    };
    const SolveResult result = cg(backend, on_world, b, x, options);
    EXPECT_EQ(result.reason, StopReason::interrupted);
    // A GPU's loop runs ahead of what its host asks: up to the end of a window, in all ranks the same.
    if (HostBackend<B>) {
        EXPECT_EQ(result.iterations, 7);
    }
    double ends[2] = {static_cast<double>(result.iterations), 1e6 - static_cast<double>(result.iterations)};
    ranks.all_max(ends, 2);
    EXPECT_EQ(ends[0], 1e6 - ends[1]);
}

}  // namespace stiefel::test
