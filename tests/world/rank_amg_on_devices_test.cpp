// Multigrid that GPUs set up together, and what it is made of: ranks with a GPU each, started by mpirun.
#include "stiefel/preconditioner/amg/ranks/cuda/device_levels.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/matrix_parts.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/sharing.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/whole_matrix.hpp"
#include "stiefel/world/cuda/device_gather.hpp"
#include "stiefel/world/cuda/vector_gather.hpp"
#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/mpi_world.hpp"
#include "support/world_amg_suite.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

class RankAmgOnDevices : public ::testing::Test {
protected:
    void SetUp() override {
        if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }

    static RowBlocks even(const HostCsr<double>& a) { return even_blocks(a.n_rows, ranks().size()); }
    static SplitRows<double> split(const HostCsr<double>& a, const RowBlocks& blocks) {
        return split_rows(rows_of(a, blocks, ranks().rank()), blocks, ranks().rank());
    }

    OpenMP maker{2};
};

void expect_same_matrix(const HostCsr<double>& a, const HostCsr<double>& expected) {
    ASSERT_EQ(a.n_rows, expected.n_rows);
    ASSERT_EQ(a.n_cols, expected.n_cols);
    ASSERT_EQ(a.nnz(), expected.nnz());
    a.row_ptr.visit([&](const auto* here) {
        expected.row_ptr.visit([&](const auto* there) {
            for (Index i = 0; i <= a.n_rows; ++i) ASSERT_EQ(Size{here[i]}, Size{there[i]}) << i;
        });
    });
    EXPECT_TRUE(std::ranges::equal(a.col_idx.span(), expected.col_idx.span()));
    EXPECT_TRUE(std::ranges::equal(a.values.span(), expected.values.span()));
}

TEST_F(RankAmgOnDevices, ArraysOfAllRanksLieOneAfterTheOther) {
    Joined<Cuda> joined(ranks());
    const auto pieces = static_cast<Index>(stiefel::CudaWorld::staging_bytes / Size{sizeof(double)});
    for (const Index n : {1, 1000, 2 * pieces + 5}) {
        // Of different lengths; that of rank 1 is empty.
        const auto length = [n](int rank) { return rank == 1 ? Size{0} : Size{n} / (rank + 1) + 1; };
        HostVector<double> here(length(ranks().rank()));
        for (Size i = 0; i < here.size(); ++i)
            here[i] = static_cast<double>(ranks().rank()) + 1e-9 * static_cast<double>(i);
        const auto there = brought(joined.backend, here);
        const auto all = on_host<Cuda, double>(joined.backend, gathered(joined.backend, joined.ranks, there));
        Size at = 0;
        for (int rank = 0; rank < ranks().size(); ++rank) {
            for (Size i = 0; i < length(rank); ++i, ++at) {
                ASSERT_EQ(all[at], static_cast<double>(rank) + 1e-9 * static_cast<double>(i)) << rank << ' ' << i;
            }
        }
        EXPECT_EQ(at, all.size());
    }
}

TEST_F(RankAmgOnDevices, VectorsAreMadeWholeRoundByRound) {
    Joined<Cuda> joined(ranks());
    Cuda& backend = joined.backend;
    constexpr Index n = 5003;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const RowBlocks blocks = random_blocks(n, ranks().size(), seed);
        VectorGather<float> gather(backend, joined.ranks, blocks);
        for (const Index k : {1, 3, 1}) {
            gather.reserve(backend, k);
            for (std::uint64_t round = 0; round < 5; ++round) {
                const HostVector<float> expected = random_vector<float>(Size{n} * k, seed + 10 * round);
                const auto own = brought(backend, part_of(expected, blocks, ranks().rank(), k));
                DeviceVector<float> whole(backend, expected.size()), back(backend, own.size());
                gather.run(backend, own.data(), whole.data(), k);
                gather.take_own(backend, whole.data(), back.data(), k);
                const auto found = on_host<Cuda, float>(backend, whole);
                EXPECT_TRUE(std::ranges::equal(found.span(), expected.span())) << k << ' ' << round;
                EXPECT_TRUE(std::ranges::equal(on_host<Cuda, float>(backend, back).span(),
                                               on_host<Cuda, float>(backend, own).span()));
            }
        }
    }
}

TEST_F(RankAmgOnDevices, MatricesAreMadeWhole) {
    Joined<Cuda> joined(ranks());
    for (const auto& [name, a] : systems<double>()) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const RowBlocks blocks = random_blocks(a.n_rows, ranks().size(), seed);
            const SplitRows<double> here = split(a, blocks);
            const DeviceCsr<double> own = to_device(joined.backend, here.own);
            SCOPED_TRACE(name);
            expect_same_matrix(
                to_host(joined.backend, amg::whole_matrix(joined.backend, joined.ranks, blocks, own, here)), a);
        }
    }
}

TEST_F(RankAmgOnDevices, APartOfAMatrixAndTheRestOfItsRows) {
    Cuda backend;
    const HostCsr<double> a = poisson2d<double>(this->maker, 30, 20);
    const RowBlocks blocks({0, 170, 411, 600});
    const SplitRows<double> expected = split_rows(rows_of(a, blocks, 1), blocks, 1);
    const DeviceCsr<double> there = to_device(backend, a);
    const amg::MatrixPart part{.first_row = 170, .n_rows = 241, .first_col = 170, .n_cols = 241};
    expect_same_matrix(to_host(backend, amg::inside(backend, there, part)), expected.own);
    const HostCsr<double> rest = to_host(backend, amg::outside(backend, there, part));
    EXPECT_EQ(rest.n_rows, 241);
    EXPECT_EQ(rest.nnz(), expected.beyond.nnz());
    EXPECT_TRUE(std::ranges::equal(rest.values.span(), expected.beyond.values.span()));
    // Of a stencil the middle of a row is its diagonal, or beside it.
    const RowBlocks beside = amg::rows_beside(backend, there, blocks);
    for (int rank = 0; rank <= 3; ++rank) {
        EXPECT_LE(std::abs(beside.first(rank) - blocks.first(rank)), 31) << rank;
    }
}

/// A level is shared, and all others are whole, in each of the ways that lead to the second.
TEST_F(RankAmgOnDevices, GpusSetUp) {
    Joined<Cuda> joined(ranks());
    Cuda& backend = joined.backend;
    for (const auto& [name, a, plane] : amg_systems()) {
        SCOPED_TRACE(name);
        const RowBlocks blocks = at_planes(even(a), plane);
        const SplitRows<double> here = split(a, blocks);
        for (const Size gathered : {1000, 100000}) {
            const auto made = amg::levels_on_devices<double, float>(backend, joined.ranks, blocks, here, nullptr,
                                                                    {.gathered_rows = gathered});
            ASSERT_TRUE(made.has_value());
            const bool is_shared = gathered < a.n_rows && ranks().size() > 1;
            if (ranks().size() > 1) {
                EXPECT_EQ(made->levels.size(), is_shared ? 2u : 1u);
            }
            EXPECT_EQ(made->levels.front().rows, a.n_rows);
            EXPECT_EQ(made->levels.front().nonzeros, a.nnz());
            EXPECT_EQ(made->scale.size(), blocks.n_rows_of(ranks().rank()));
        }
    }
}

/// Where all do the set-up of one, M is that of one up to rounding.
TEST_F(RankAmgOnDevices, IsThatOfOneGpuWhereverRanksBegin) {
    for (const auto& [name, a, plane] : amg_systems()) {
        SCOPED_TRACE(name);
        if (plane > 0) continue;  // pairs end at seams
        for (const std::string_view cycle : {"v", "w"}) {
            AmgOnRanks<Cuda, double, double> system(ranks(), a, even(a), {.cycle = cycle, .gathered_rows = 1000});
            Cuda& backend = system.joined.backend;
            const HostVector<double> r = random_vector<double>(a.n_rows, 5);
            const Index n = system.blocks.n_rows_of(ranks().rank());
            const auto own_r = panel_of(backend, part_of(r, system.blocks, ranks().rank()), n, 1);
            auto own_z = panel_of(backend, HostVector<double>(n), n, 1);
            precondition(backend, system.m, DeviceMatrix<const double>(own_r.view()), own_z.view());
            const HostVector<double> z =
                gathered(ranks(), system.blocks, on_host<Cuda, double>(backend, own_z.values()));
            Cuda alone(backend.device().index);
            const Amg<Cuda, double, double> m(alone, a, {.cycle = cycle});
            const auto whole_r = panel_of(alone, r, a.n_rows, 1);
            auto whole_z = panel_of(alone, HostVector<double>(a.n_rows), a.n_rows, 1);
            precondition(alone, m, DeviceMatrix<const double>(whole_r.view()), whole_z.view());
            const HostVector<double> expected = on_host<Cuda, double>(alone, whole_z.values());
            double largest = 0;
            for (const double value : expected.span()) largest = std::max(largest, std::abs(value));
            for (Size i = 0; i < a.n_rows; ++i) ASSERT_NEAR(z[i], expected[i], 1e-11 * largest) << i;
        }
    }
}

/// Set up twice, it has the same bits.
TEST_F(RankAmgOnDevices, RepeatsBitForBit) {
    for (const auto& [name, a, plane] : amg_systems()) {
        SCOPED_TRACE(name);
        std::optional<HostVector<double>> before;
        for (int run = 0; run < 2; ++run) {
            AmgOnRanks<Cuda, double, float> system(ranks(), a, even(a), {.gathered_rows = 1000});
            Cuda& backend = system.joined.backend;
            const Index n = system.blocks.n_rows_of(ranks().rank());
            const HostVector<double> r = random_vector<double>(a.n_rows, 5);
            const auto own_r = panel_of(backend, part_of(r, system.blocks, ranks().rank()), n, 1);
            auto own_z = panel_of(backend, HostVector<double>(n), n, 1);
            precondition(backend, system.m, DeviceMatrix<const double>(own_r.view()), own_z.view());
            HostVector<double> z = on_host<Cuda, double>(backend, own_z.values());
            EXPECT_TRUE(!before || std::ranges::equal(z.span(), before->span()));
            before = std::move(z);
        }
    }
}

/// A GPU that has all rows, as small systems lie, sets up and applies it alone.
TEST_F(RankAmgOnDevices, OneMayHaveAllRows) {
    const HostCsr<double> a = poisson3d<double>(this->maker, 20, 20, 20);
    const HostVector<double> b = random_vector<double>(a.n_rows, 6);
    std::vector<Size> first(static_cast<std::size_t>(ranks().size()) + 1, a.n_rows);
    first.front() = 0;
    const Size here = iterations_on_ranks<Cuda, double>(ranks(), a, b, RowBlocks(first), 1e-8);
    EXPECT_LE(here, iterations_alone(a, b, 1e-8, false) + 1);
}

TEST(Sharing, IsWorthItForLargeSystems) {
    EXPECT_FALSE(amg::gains_by_sharing(1'000'000, 6'940'000, 2, false));  // 7-point 100^3
    EXPECT_TRUE(amg::gains_by_sharing(4'096'000, 28'518'400, 2, false));  // 160^3
    EXPECT_TRUE(amg::gains_by_sharing(1'000'000, 26'463'592, 2, false));  // 27-point 100^3
    EXPECT_FALSE(amg::gains_by_sharing(4'096'000, 28'518'400, 2, true));
}

}  // namespace
}  // namespace stiefel::test
