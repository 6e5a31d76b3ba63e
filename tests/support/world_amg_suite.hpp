#pragma once

#include "support/beam_nodes.hpp"
#include "support/world_suite.hpp"

#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_amg.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/grid_planes.hpp"
#include "stiefel/world/node_blocks.hpp"

namespace stiefel::test {

// What must hold for multigrid of a system whose rows lie with several ranks, called by all of them.

struct AmgSystem {
    std::string name;
    HostCsr<double> a;
    Size plane = 0;  ///< of a grid at whose planes ranks begin
};

/// Of more rows than are gathered at once.
inline std::vector<AmgSystem> amg_systems() {
    OpenMP host(1);
    std::vector<AmgSystem> list;
    list.push_back({"pairs, then smoothed", poisson3d<double>(host, 24, 22, 24), 24 * 22});
    list.push_back({"many neighbours", stencil27<double>(host, 20, 19, 18)});
    list.push_back({"lines", anisotropic2d<double>(host, 90, 80, 1e-3)});
    list.push_back({"nodes of three unknowns", elasticity3d<double>(host, 16, 14, 14)});
    return list;
}

/// Blocks of as many rows as others, but for whole nodes.
inline RowBlocks even_blocks(Index n_rows, int n_ranks) {
    std::vector<Size> first{0};
    for (int r = 1; r < n_ranks; ++r) first.push_back(Size{n_rows} * r / n_ranks / 12 * 12);
    first.push_back(n_rows);
    return RowBlocks(std::move(first));
}

template <class T>
HostCsr<T> in_type(const HostCsr<double>& a) {
    OpenMP host(1);
    const HostVector<double> ones(a.n_rows, 1.0);
    return scaled_copy<T>(host, ScaledCsr<double>{a, ones, ones});
}

/// M as CG applies it, of rows that lie so.
template <class B, class T, class S>
struct AmgOnRanks {
    AmgOnRanks(Ranks& ranks, const HostCsr<double>& a, RowBlocks held, const amg::SetupOptions& options)
        : blocks(std::move(held)),
          joined(ranks),
          on_world(world_operator(joined.backend, joined.ranks, in_type<T>(a), blocks)),
          m(joined.backend, joined.ranks, OpenMP(1), blocks,
            split_rows(rows_of(a, blocks, ranks.rank()), blocks, ranks.rank()), options) {}

    RowBlocks blocks;
    Joined<B> joined;
    WorldOperator<B, T> on_world;
    RankAmg<B, T, S> m;
};

/// Iterations of one process, whose cycle visits levels as often as that of backend B does.
inline Size iterations_alone(const HostCsr<double>& a, const HostVector<double>& b, double rtol, bool on_host,
                             const amg::Coordinates& coordinates = {}) {
    OpenMP alone(2);
    HostVector<double> x(a.n_rows, 0.0);
    Amg<OpenMP, double> m(alone, a, {.coordinates = coordinates, .cycle = on_host ? "auto" : "v"});
    return cg(alone, a, AnyPreconditioner<OpenMP, double>(std::move(m)), b, x, {.rtol = rtol}).iterations;
}

/// Iterations to a residual that is true, the same in all ranks.
template <class B, class T>
Size iterations_on_ranks(Ranks& ranks, const HostCsr<double>& a, const HostVector<double>& b, RowBlocks blocks,
                         double rtol, const amg::SetupOptions& options = {.gathered_rows = 1000}) {
    AmgOnRanks<B, T, float> system(ranks, a, std::move(blocks), options);
    B& backend = system.joined.backend;
    HostVector<T> whole_b(a.n_rows);
    std::copy(b.begin(), b.end(), whole_b.data());
    const auto own_b = brought(backend, part_of(whole_b, system.blocks, ranks.rank()));
    auto x = brought(backend, HostVector<T>(own_b.size(), T{0}));
    const SolveResult result = cg(backend, system.on_world, system.m, own_b, x, {.rtol = rtol});
    EXPECT_EQ(result.reason, StopReason::converged);
    for (const auto& level : system.m.details().levels) EXPECT_GE(level.seconds, 0) << level.rows;
    double ends[2] = {static_cast<double>(result.iterations), 1e6 - static_cast<double>(result.iterations)};
    ranks.all_max(ends, 2);
    EXPECT_EQ(ends[0], 1e6 - ends[1]);
    const HostVector<T> whole_x = gathered(ranks, system.blocks, on_host<B, T>(backend, x));
    EXPECT_LE(true_relative_residual(in_type<T>(a), whole_b, whole_x), 1.1L * rtol);
    return result.iterations;
}

/// Hardly more iterations than in one process.
template <class B, class T>
void amg_takes_hardly_more_iterations(Ranks& ranks) {
    const double rtol = std::is_same_v<T, float> ? 1e-5 : 1e-8;
    for (const auto& [name, a, plane] : amg_systems()) {
        SCOPED_TRACE(name);
        const HostVector<double> b = random_vector<double>(a.n_rows, 6);
        const RowBlocks blocks = at_planes(even_blocks(a.n_rows, ranks.size()), plane);
        const Size here = iterations_on_ranks<B, T>(ranks, a, b, blocks, rtol);
        const auto alone = static_cast<double>(iterations_alone(a, b, rtol, HostBackend<B>));
        EXPECT_LE(static_cast<double>(here), 1 + 1.15 * alone) << "alone " << alone;
    }
}

/// Modes of a body that lies with several ranks, with one of them none of it, are those of the whole body: hardly more
/// iterations than in one process, and far fewer than without.
template <class B, class T>
void amg_turns_the_whole_body(Ranks& ranks) {
    constexpr Index nx = 13, ny = 10, nz = 11, axes = 3;
    const double rtol = std::is_same_v<T, float> ? 1e-5 : 1e-8;
    OpenMP host(1);
    const HostCsr<double> a = elasticity3d<double>(host, nx, ny, nz);
    const HostVector<double> b = random_vector<double>(a.n_rows, 6);
    const std::vector<double> xyz = beam_nodes(nx, ny, nz);
    const amg::Coordinates whole{.nodes = a.n_rows / axes, .dimensions = axes, .values = xyz};
    const auto alone = static_cast<double>(iterations_alone(a, b, rtol, HostBackend<B>, whole));
    EXPECT_LT(alone, 0.7 * static_cast<double>(iterations_alone(a, b, rtol, HostBackend<B>)));

    std::vector<Size> first{0};
    const RowBlocks of_others = even_blocks(a.n_rows, std::max(1, ranks.size() - 1));
    for (int r = 1; r < ranks.size(); ++r) first.push_back(of_others.first(r - 1));
    first.push_back(a.n_rows);
    const RowBlocks rows(std::move(first)), nodes = in_nodes(rows, axes);
    std::vector<double> own;
    for (Index axis = 0; axis < axes; ++axis) {
        const auto of_axis = xyz.begin() + Size{axis} * whole.nodes;
        own.insert(own.end(), of_axis + nodes.first(ranks.rank()), of_axis + nodes.first(ranks.rank() + 1));
    }
    for (const Size gathered_rows : {Size{1000}, Size{a.n_rows}}) {
        const amg::SetupOptions options{
            .coordinates = {.nodes = nodes.n_rows_of(ranks.rank()), .dimensions = axes, .values = own},
            .gathered_rows = gathered_rows};
        const Size here = iterations_on_ranks<B, T>(ranks, a, b, rows, rtol, options);
        EXPECT_LE(static_cast<double>(here), 1 + 1.15 * alone) << gathered_rows;
    }
}

/// <M u, v> = <u, M v> and <M u, u> > 0, for any rows of any ranks, and panels column by column.
template <class B, class T>
void amg_is_symmetric_and_positive(Ranks& ranks) {
    for (const auto& [name, a, plane] : amg_systems()) {
        for (const std::uint64_t seed : {1u, 2u}) {
            AmgOnRanks<B, T, T> system(ranks, a, random_blocks(a.n_rows, ranks.size(), seed),
                                       {.cycle = seed == 1 ? "w" : "v", .gathered_rows = 1000});
            B& backend = system.joined.backend;
            constexpr Index k = 3;
            system.m.reserve(backend, k);
            const Index n = system.blocks.n_rows_of(ranks.rank());
            const HostVector<T> r = random_vector<T>(Size{a.n_rows} * k, seed);
            const auto own_r = panel_of(backend, part_of(r, system.blocks, ranks.rank(), k), n, k);
            auto own_z = panel_of(backend, HostVector<T>(Size{n} * k, std::numeric_limits<T>::quiet_NaN()), n, k);
            precondition(backend, system.m, MatrixOf<B, const T>(own_r.view()), own_z.view());
            const HostVector<T> z = gathered(ranks, system.blocks, on_host<B, T>(backend, own_z.values()), k);

            long double products[k][k] = {}, lengths[k] = {}, sizes[k] = {};
            for (Size i = 0; i < a.n_rows; ++i) {
                for (Index c = 0; c < k; ++c) {
                    lengths[c] += static_cast<long double>(r[i * k + c]) * r[i * k + c];
                    sizes[c] += static_cast<long double>(z[i * k + c]) * z[i * k + c];
                    for (Index d = 0; d < k; ++d)
                        products[c][d] += static_cast<long double>(r[i * k + c]) * z[i * k + d];
                }
            }
            for (Index c = 0; c < k; ++c) {
                EXPECT_GT(products[c][c], 0) << name;
                for (Index d = 0; d < c; ++d) {
                    // Some hundred operations on the way of an element, each with its rounding.
                    const long double bound =
                        200 * std::numeric_limits<T>::epsilon() * std::sqrt(lengths[c] * sizes[d]);
                    EXPECT_LE(std::abs(products[c][d] - products[d][c]), bound) << name;
                }
            }
            HostVector<T> first(n), of_panel(n);
            for (Index i = 0; i < n; ++i) first[i] = r[(system.blocks.first(ranks.rank()) + i) * k];
            auto alone_r = panel_of(backend, first, n, 1);
            auto alone_z = panel_of(backend, HostVector<T>(n), n, 1);
            precondition(backend, system.m, MatrixOf<B, const T>(alone_r.view()), alone_z.view());
            const HostVector<T> column = gathered(ranks, system.blocks, on_host<B, T>(backend, alone_z.values()));
            for (Size i = 0; i < a.n_rows; ++i) {
                const auto difference = std::abs(static_cast<long double>(column[i]) - z[i * k]);
                EXPECT_LE(difference, 200 * std::numeric_limits<T>::epsilon() * std::sqrt(sizes[0])) << name;
            }
        }
    }
}

/// A system of few rows is every rank's, whole: M is that of one process.
template <class B>
void amg_of_few_rows_is_that_of_one_process(Ranks& ranks) {
    OpenMP host(1);
    const HostCsr<double> a = poisson2d<double>(host, 40, 37);
    AmgOnRanks<B, double, double> system(ranks, a, random_blocks(a.n_rows, ranks.size(), 3), {.cycle = "v"});
    B& backend = system.joined.backend;
    const HostVector<double> r = random_vector<double>(a.n_rows, 3);
    const Index n = system.blocks.n_rows_of(ranks.rank());
    const auto own_r = panel_of(backend, part_of(r, system.blocks, ranks.rank()), n, 1);
    auto own_z = panel_of(backend, HostVector<double>(n), n, 1);
    precondition(backend, system.m, MatrixOf<B, const double>(own_r.view()), own_z.view());
    const HostVector<double> z = gathered(ranks, system.blocks, on_host<B, double>(backend, own_z.values()));
    B alone{};
    Amg<B, double, double> m(alone, a, {.cycle = "v"});
    const auto whole_r = panel_of(alone, r, a.n_rows, 1);
    auto whole_z = panel_of(alone, HostVector<double>(a.n_rows), a.n_rows, 1);
    precondition(alone, m, MatrixOf<B, const double>(whole_r.view()), whole_z.view());
    const HostVector<double> expected = on_host<B, double>(alone, whole_z.values());
    const double largest = *std::max_element(expected.begin(), expected.end());
    for (Size i = 0; i < a.n_rows; ++i) EXPECT_NEAR(z[i], expected[i], 1e-12 * largest) << i;
    EXPECT_EQ(system.m.details().levels.front().rows, a.n_rows);
}

/// Stronger couplings than a positive definite matrix can have, between the last eighth of the rows: the last rank's.
inline HostCsr<double> indefinite_at_the_end() {
    OpenMP host(1);
    HostCsr<double> a = poisson2d<double>(host, 60, 60);
    const Index from = a.n_rows / 8 * 7;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = from; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] >= from && a.col_idx[k] != i) a.values[k] *= 10;
            }
        }
    });
    return a;
}

/// What is wrong with the rows of one rank, all throw, with the same words.
template <class B>
void amg_refuses_in_all_ranks(Ranks& ranks) {
    OpenMP host(1);
    const auto refused = [&](const HostCsr<double>& a, std::string_view coarsening) -> std::string {
        try {
            AmgOnRanks<B, double, double>(ranks, a, even_blocks(a.n_rows, ranks.size()),
                                          {.coarsening = coarsening, .gathered_rows = 500});
        } catch (const amg::NotDefinite& problem) {
            return std::string("not definite: ") + problem.what();
        } catch (const InvalidArgument& problem) {
            return problem.what();
        }
        return "nothing";
    };
    for (const std::string_view coarsening : {"pairs", "smoothed"}) {
        const std::string said = refused(indefinite_at_the_end(), coarsening);
        EXPECT_TRUE(said.starts_with("not definite: ")) << coarsening << ": " << said;
        for (const std::string& of_rank : texts_told_to_all(ranks, said)) EXPECT_EQ(of_rank, said) << coarsening;
    }
    HostCsr<double> a = poisson2d<double>(host, 60, 60);
    const Index row = a.n_rows - 7;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Size k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
            if (a.col_idx[k] == row) a.values[k] = -1;
        }
    });
    const std::string said = refused(a, "auto");
    EXPECT_NE(said.find("3594"), std::string::npos) << said;
    for (const std::string& of_rank : texts_told_to_all(ranks, said)) EXPECT_EQ(of_rank, said);
}

}  // namespace stiefel::test
