#pragma once

#include "support/block_cg_ends.hpp"
#include "support/bounds.hpp"
#include "support/slow_monitor.hpp"
#include "support/world_suite.hpp"

#include <functional>

namespace stiefel::test {

// How runs end whose rows lie with several ranks, called by all of them: for every reason, and in all alike.

/// Fails unless all ranks say the same number, below 1e6.
inline void expect_same_in_all(Ranks& ranks, double number, const char* what) {
    double ends[2] = {number, 1e6 - number};
    ranks.all_max(ends, 2);
    EXPECT_EQ(ends[0], 1e6 - ends[1]) << what << ": the most and the fewest of a rank";
}

/// The reasons that a run finds by itself: each rank computes with its rows, and all look at the whole x.
template <class B, class T>
void ends_of_cg_are_the_same_in_all(Ranks& ranks) {
    Joined<B> joined(ranks);
    B& backend = joined.backend;
    const auto solve = [&](const HostCsr<T>& a, const HostVector<T>&, const HostVector<T>& b, HostVector<T>& x,
                           const CgOptions& options) {
        const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), 1);
        const auto on_world = world_operator(backend, joined.ranks, a, blocks);
        const auto own_b = brought(backend, part_of(b, blocks, ranks.rank()));
        auto own_x = brought(backend, part_of(x, blocks, ranks.rank()));
        const SolveResult result = cg(backend, on_world, own_b, own_x, options);
        x = gathered(ranks, blocks, on_host<B, T>(backend, own_x));
        expect_same_in_all(ranks, static_cast<double>(static_cast<int>(result.reason)), "reason");
        expect_same_in_all(ranks, static_cast<double>(static_cast<int>(result.evidence)), "evidence");
        expect_same_in_all(ranks, static_cast<double>(result.iterations), "iterations");
        return result;
    };
    check_late_ends<T>(1, solve);
}

template <class B, class T>
void ends_of_block_cg_are_the_same_in_all(Ranks& ranks) {
    Joined<B> joined(ranks);
    B& backend = joined.backend;
    check_late_block_ends<T>(
        [&](const HostCsr<T>& a, const HostMultivector<T>& b, HostMultivector<T>& x, const CgOptions& options) {
            const Index k = b.n_cols();
            const RowBlocks blocks = random_blocks(a.n_rows, ranks.size(), 3);
            const Index n = blocks.n_rows_of(ranks.rank());
            const auto on_world = world_operator(backend, joined.ranks, a, blocks);
            const auto own_b = panel_of(backend, part_of(b.values(), blocks, ranks.rank(), k), n, k);
            auto own_x = panel_of(backend, part_of(x.values(), blocks, ranks.rank(), k), n, k);
            const BlockSolveResult result = block_cg(backend, on_world, Identity{}, own_b, own_x, options);
            x = {gathered(ranks, blocks, on_host<B, T>(backend, own_x.values()), k), a.n_rows, k};
            expect_same_in_all(ranks, static_cast<double>(static_cast<int>(result.reason)), "reason");
            expect_same_in_all(ranks, static_cast<double>(result.iterations), "iterations");
            return result;
        });
}

/// The time of one rank is up; all end, after the same iteration, with the x of that iteration. runs_on: by so many
/// iterations a loop is ahead of its host.
template <class B>
void one_whose_time_is_up_ends_all(Ranks& ranks, Size runs_on) {
    OpenMP host(1);
    const HostCsr<double> a = poisson1d<double>(host, 3000);  // takes 3000 iterations
    const HostVector<double> b = random_vector<double>(a.n_rows, 3);
    const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks.size());
    Joined<B> joined(ranks);
    B& backend = joined.backend;
    const auto on_world = world_operator(backend, joined.ranks, a, blocks);
    const auto own_b = brought(backend, part_of(b, blocks, ranks.rank()));
    const bool is_last = ranks.rank() == ranks.size() - 1;
    constexpr double limit = 0.01;
    for (const double seconds : {limit, 0.0}) {
        auto own_x = brought(backend, HostVector<double>(own_b.size(), 0.0));
        SlowAt slow(7, seconds);
        CgOptions options{.rtol = 1e-10, .monitor = std::ref(slow)};
        if (is_last) options.time_limit = seconds;
        const SolveResult result = cg(backend, on_world, own_b, own_x, options);
        EXPECT_EQ(result.reason, StopReason::time_limit);
        EXPECT_LE(result.iterations, seconds > 0 ? 7 + runs_on : 0);
        EXPECT_EQ(slow.last(), result.iterations);
        expect_same_in_all(ranks, static_cast<double>(result.iterations), "iterations");
        const auto x = gathered(ranks, blocks, on_host<B, double>(backend, own_x));
        EXPECT_TRUE(within(result.relative_residual, true_relative_residual(a, b, x), true_residual_bound(a, b, x)));
    }
}

}  // namespace stiefel::test
