// The loop of CG that is one kernel on each of several GPUs, which keeps vectors in their multiprocessors: what holds
// of any way of running CG, and that GPUs agree to the bit. Ranks that share a GPU have no such loop, and run another
// here.
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "support/accuracy_suite.hpp"
#include "support/backends.hpp"
#include "support/cg_ends.hpp"
#include "support/mpi_world.hpp"
#include "support/streamed_room.hpp"
#include "support/world_ends.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace stiefel::test {
namespace {

/// Of the rows of this rank, compressed SELL.
template <class T>
WorldOperator<Cuda, T> streamed_operator(Cuda& backend, stiefel::CudaWorld& world, const HostCsr<T>& a,
                                         const RowBlocks& blocks, Index sigma) {
    SplitRows<T> split = split_rows(rows_of(a, blocks, world.rank()), blocks, world.rank());
    auto own = compressed_sell_from_csr(backend, to_device(backend, split.own), sigma, {1e9});
    const auto& kernel = spmv_kernels(backend, own).front();
    return {backend, world, blocks, SpmvOperator<Cuda, T>(std::move(own), kernel), std::move(split)};
}

/// The same, of whose vectors 1.5 elements a row stay, of three.
template <class T>
struct PartlyStayingWorld : WorldOperator<Cuda, T> {
    explicit PartlyStayingWorld(WorldOperator<Cuda, T>&& all) : WorldOperator<Cuda, T>(std::move(all)) {}
};
template <class T, class M>
void set_resident(Cuda& backend, CudaStep& step, const PartlyStayingWorld<T>& a, const M& m, DeviceVector<T>& x,
                  DeviceVector<T>& r, DeviceVector<T>& p, DeviceVector<CgState>& state) {
    const auto* const own = a.own().template in_format<DeviceCompressedSell<T>>();
    if (own == nullptr || own->n_rows == 0) throw Error("all ranks are to have rows");
    const cuda::StreamedShape shape = shape_with_room(backend, *own, 1.5, true);
    auto slices = a.boundary().slices(backend, *own, shape.blocks, shape.warps_of_block, shape.runs);
    const cuda::StreamedWithOthers<T> others{
        .slices = std::make_shared<const BoundarySlices<T, DeviceMemory>>(std::move(slices)),
        .ways = a.boundary().letter_ways(),
        .get_ready = [&backend, &a] { a.boundary().meet_if_one_sided(backend); }};
    cuda::set_streamed(backend, step, shape, *own, others, m, x, r, p, state);
}

/// A diagonal, and a first row and column that have all.
template <class T>
HostCsr<T> one_row_of_all(Index n) {
    std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
        if (i > 0) rows[static_cast<std::size_t>(i)].emplace_back(0, T(-1));
        rows[static_cast<std::size_t>(i)].emplace_back(i, static_cast<T>(n));
        if (i > 0) rows.front().emplace_back(i, T(-1));
    }
    return csr_from_rows<T>(n, rows);
}

template <class T>
class CudaStreamedWorld : public ::testing::Test {
protected:
    void SetUp() override {
        if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }

    /// As support/cg_ends.hpp has it; all ranks have rows, as long as there are enough.
    auto solve(Index sigma = 32) {
        return [sigma](const HostCsr<T>& a, const HostVector<T>& inverse_diagonal, const HostVector<T>& b,
                       HostVector<T>& x, const CgOptions& options) {
            Joined<Cuda> joined(ranks());
            Cuda& backend = joined.backend;
            const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks().size());
            const auto on_world = streamed_operator(backend, joined.ranks, a, blocks, sigma);
            const auto own_b = brought(backend, part_of(b, blocks, ranks().rank()));
            auto own_x = brought(backend, part_of(x, blocks, ranks().rank()));
            SolveResult result;
            if (inverse_diagonal.empty()) {
                result = cg(backend, on_world, own_b, own_x, options);
            } else {
                const DeviceJacobi<T> m{brought(backend, part_of(inverse_diagonal, blocks, ranks().rank()))};
                result = cg(backend, on_world, m, own_b, own_x, options);
            }
            x = gathered(ranks(), blocks, on_host<Cuda, T>(backend, own_x));
            expect_same_in_all(ranks(), static_cast<double>(static_cast<int>(result.reason)), "reason");
            expect_same_in_all(ranks(), static_cast<double>(static_cast<int>(result.evidence)), "evidence");
            expect_same_in_all(ranks(), static_cast<double>(result.iterations), "iterations");
            return result;
        };
    }

    OpenMP maker{2};
};
TYPED_TEST_SUITE(CudaStreamedWorld, EveryType);

/// Where GPUs reach each other, and each has one for itself.
TYPED_TEST(CudaStreamedWorld, OneKernelIsTheLoop) {
    using T = TypeParam;
    Joined<Cuda> joined(ranks());
    Cuda& backend = joined.backend;
    const HostCsr<T> grid = poisson2d<T>(this->maker, 40, 41);
    const auto is_resident = [&](const HostCsr<T>& a, const RowBlocks& blocks) {
        const auto on_world = streamed_operator(backend, joined.ranks, a, blocks, 32);
        const Size n = blocks.n_rows_of(ranks().rank());
        CudaStep step = backend.record([] {});
        DeviceVector<T> x(backend, n), r(backend, n), p(backend, n);
        auto state = make_vector<CgState>(backend, 1);
        set_resident(backend, step, on_world, Identity{}, x, r, p, state);
        return static_cast<bool>(step.resident);
    };
    EXPECT_EQ(is_resident(grid, RowBlocks::even(grid.n_rows, ranks().size())),
              !joined.ranks.shares_gpus() && !joined.ranks.needs_hosts());
    if (ranks().size() == 1) return;
    const HostCsr<T> arrow = one_row_of_all<T>(1640);
    EXPECT_FALSE(is_resident(arrow, RowBlocks::even(arrow.n_rows, ranks().size()))) << "a row of very many letters";
    std::vector<Size> first(static_cast<std::size_t>(ranks().size()) + 1, grid.n_rows);
    first.front() = 0;
    EXPECT_FALSE(is_resident(grid, RowBlocks(std::move(first)))) << "ranks without rows";
}

/// Grids whose planes, and systems of which any rows, have columns of others; moved rows among them.
TYPED_TEST(CudaStreamedWorld, SolvesWhatOneProcessSolves) {
    using T = TypeParam;
    const double rtol = std::is_same_v<T, float> ? 1e-5 : 1e-10;
    auto list = systems<T>();
    list.emplace_back("5 points, 120 x 130", poisson2d<T>(this->maker, 120, 130));
    list.emplace_back("7 points, 40 x 40 x 30", poisson3d<T>(this->maker, 40, 40, 30));
    list.emplace_back("27 points, 25^3", stencil27<T>(this->maker, 25, 25, 25));
    list.emplace_back("27 points, 65 x 70 x 75, several slices a warp", stencil27<T>(this->maker, 65, 70, 75));
    list.emplace_back("random 5000", random_spd<T>(this->maker, 5000, {.degree = 9, .shift = 0.1}));
    for (const auto& [name, a] : list) {
        const HostVector<T> b = random_vector<T>(a.n_rows, 4);
        const HostJacobi<T> m{inverse_diagonal_of(a)};
        for (const bool jacobi : {false, true}) {
            SCOPED_TRACE(name + (jacobi ? ", jacobi" : ""));
            HostVector<T> alone(b.size(), T{0});
            Serial serial;
            const CgOptions options{.rtol = rtol, .history = true};
            const SolveResult expected =
                jacobi ? cg(serial, a, m, b, alone, options) : cg(serial, a, b, alone, options);
            SolveResult first;
            for (const Index sigma : {32, 32, 4096}) {
                HostVector<T> x(b.size(), T{0});
                const SolveResult result =
                    this->solve(sigma)(a, jacobi ? m.inverse_diagonal.clone() : HostVector<T>(), b, x, options);
                EXPECT_EQ(result.reason, StopReason::converged);
                EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                            2 + 0.1 * static_cast<double>(expected.iterations));
                EXPECT_LE(true_relative_residual(a, b, x), 1.1L * rtol);
                if (sigma != 32) continue;
                if (first.history.empty()) first = result;
                EXPECT_EQ(result.history, first.history) << "a run again";
            }
        }
    }
}

/// Of what does not stay a rank's rows are dealt out in runs, and vectors pass through the caches.
TYPED_TEST(CudaStreamedWorld, SolvesWithVectorsThatStayInPart) {
    using T = TypeParam;
    Joined<Cuda> joined(ranks());
    Cuda& backend = joined.backend;
    if (joined.ranks.shares_gpus() || joined.ranks.needs_hosts() || ranks().size() == 1) GTEST_SKIP() << "no such loop";
    const double rtol = std::is_same_v<T, float> ? 1e-5 : 1e-10;
    const std::pair<const char*, HostCsr<T>> list[]{
        {"5 points, 190 x 201", poisson2d<T>(this->maker, 190, 201)},
        {"27 points, 35^3", stencil27<T>(this->maker, 35, 35, 35)},
        {"random 9000", random_spd<T>(this->maker, 9000, {.degree = 9, .shift = 0.1})}};
    for (const auto& [name, a] : list) {
        SCOPED_TRACE(name);
        const HostVector<T> b = random_vector<T>(a.n_rows, 4);
        const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks().size());
        const HostVector<T> diagonal = inverse_diagonal_of(a);
        const DeviceJacobi<T> m{brought(backend, part_of(diagonal, blocks, ranks().rank()))};
        const auto own_b = brought(backend, part_of(b, blocks, ranks().rank()));
        const CgOptions options{.rtol = rtol, .history = true};
        HostVector<T> alone(b.size(), T{0});
        Serial serial;
        const SolveResult expected = cg(serial, a, HostJacobi<T>{diagonal.clone()}, b, alone, options);
        const PartlyStayingWorld<T> on_world(streamed_operator(backend, joined.ranks, a, blocks, 32));
        std::vector<double> first;
        for (int run = 0; run < 2; ++run) {
            auto own_x = brought(backend, HostVector<T>(own_b.size(), T{0}));
            const SolveResult result = cg(backend, on_world, m, own_b, own_x, options);
            const HostVector<T> x = gathered(ranks(), blocks, on_host<Cuda, T>(backend, own_x));
            EXPECT_EQ(result.reason, StopReason::converged);
            EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                        2 + 0.1 * static_cast<double>(expected.iterations));
            EXPECT_LE(true_relative_residual(a, b, x), 1.1L * rtol);
            if (run == 0) first = result.history;
            EXPECT_EQ(result.history, first) << "a run again";
        }
    }
}

TYPED_TEST(CudaStreamedWorld, EndsAsAnyLoop) {
    for (const int copies : {1, 41}) check_late_ends<TypeParam>(copies, this->solve());
    check_evidence<TypeParam>(this->solve());
    check_the_better_x<TypeParam>(this->solve());
}

TYPED_TEST(CudaStreamedWorld, SystemsOfAllSizesAreSolved) {
    check_sizes_of_a_and_b<TypeParam>(this->solve());
    if constexpr (std::is_same_v<TypeParam, double>) check_overflow_on_the_way(this->solve());
}

TYPED_TEST(CudaStreamedWorld, TheConditionIsThatOfMA) {
    check_condition<TypeParam>(this->solve());
}

/// At pauses all wait for all hosts, and go on with the same bits.
TYPED_TEST(CudaStreamedWorld, PausesChangeNothing) {
    using T = TypeParam;
    const HostCsr<T> a = poisson2d<T>(this->maker, 60, 70);
    const HostVector<T> b = random_vector<T>(a.n_rows, 5);
    CgOptions options{.rtol = std::is_same_v<T, float> ? 1e-4 : 1e-9, .history = true};
    HostVector<T> x(b.size(), T{0}), paused(b.size(), T{0});
    const SolveResult whole = this->solve()(a, {}, b, x, options);
    const std::vector<Size> pauses{1, 2, 30, 31, 77};
    options.pauses = pauses;
    const SolveResult in_parts = this->solve()(a, {}, b, paused, options);
    EXPECT_EQ(whole.history, in_parts.history);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), paused.begin(), paused.end()));
}

/// One whose time is up, or that is asked to end, ends all after the same iteration.
TEST(CudaStreamedWorldOfRanks, WhatOneHostWantsAllDo) {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    OpenMP host(1);
    const HostCsr<double> a = poisson1d<double>(host, 3000);  // takes 3000 iterations
    const HostVector<double> b = random_vector<double>(a.n_rows, 3);
    const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks().size());
    Joined<Cuda> joined(ranks());
    Cuda& backend = joined.backend;
    const auto on_world = streamed_operator(backend, joined.ranks, a, blocks, 32);
    const auto own_b = brought(backend, part_of(b, blocks, ranks().rank()));
    const bool is_last = ranks().rank() == ranks().size() - 1;
    for (const Size at : {Size{0}, Size{5}, Size{1500}}) {
        auto own_x = brought(backend, HostVector<double>(own_b.size(), 0.0));
        Size last = -1;
        const auto monitor = [&](const CgProgress& progress) {
            last = progress.iteration;
            return !is_last || progress.iteration < at;
        };
        const SolveResult result = cg(backend, on_world, own_b, own_x, {.rtol = 1e-10, .monitor = monitor});
        EXPECT_EQ(result.reason, StopReason::interrupted);
        EXPECT_GE(result.iterations, at);
        EXPECT_LE(result.iterations, at + world_window);
        EXPECT_EQ(last, result.iterations);
        expect_same_in_all(ranks(), static_cast<double>(result.iterations), "iterations");
        const auto x = gathered(ranks(), blocks, on_host<Cuda, double>(backend, own_x));
        EXPECT_TRUE(within(result.relative_residual, true_relative_residual(a, b, x), true_residual_bound(a, b, x)));
    }
}

}  // namespace
}  // namespace stiefel::test
