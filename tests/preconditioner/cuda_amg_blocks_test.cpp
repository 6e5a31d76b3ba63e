#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/block_diagonal.hpp"
#include "stiefel/preconditioner/amg/cuda/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/nodes.hpp"
#include "stiefel/preconditioner/amg/nodes.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/loose_nodes.hpp"
#include "support/matrices.hpp"
#include "support/matrix_in_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

// The setup of multigrid on a device where nodes have several unknowns: its steps against the host's.

namespace stiefel::test {
namespace {

/// Unknowns a node, and modes.
using Shape = std::pair<Index, Index>;
constexpr Shape shapes[] = {{2, 2}, {2, 3}, {3, 3}, {3, 6}, {6, 6}};

class CudaAmgBlocks : public OnCuda {
protected:
    /// Nodes of a body, where the number of modes says that they are known.
    struct Body {
        HostCsr<double> a;
        HostVector<double> points;
        amg::SetupOptions options;
    };
    Body body(const Shape& shape) {
        const auto [block, modes] = shape;
        const Index side = 7;
        Body made;
        if (block == 3) {
            made.a = elasticity3d<double>(host_, side, side - 1, side - 2);
            made.points = elasticity3d_nodes(side, side - 1, side - 2);
        } else {
            const auto grid = poisson3d<double>(host_, side, side - 1, side - 2);
            made.a = in_blocks(grid, block);
            made.points = HostVector<double>(grid.n_rows * 3);
            for (Index node = 0; node < grid.n_rows; ++node) {
                made.points[node] = node % side;
                made.points[grid.n_rows + node] = node / side % (side - 1);
                made.points[2 * grid.n_rows + node] = node / side / (side - 1);
            }
        }
        made.options.block_size = block;
        if (modes != block || block == 6) {
            made.options.coordinates = {.nodes = made.a.n_rows / block,
                                        .dimensions = block == 2 ? 2 : 3,
                                        .values = {made.points.data(), static_cast<std::size_t>(made.points.size())}};
            if (block == 2) made.options.coordinates.values = made.options.coordinates.values.first(made.a.n_rows);
        }
        return made;
    }

    amg::NearNullSpace space(const Body& of, Index block) {
        const auto& coordinates = of.options.coordinates;
        return coordinates.dimensions > 0 ? amg::rigid_body_modes(coordinates, block)
                                          : amg::constants(of.a.n_rows, block);
    }
    amg::DeviceNearNullSpace space_there(const Body& of, Index block) {
        const auto& coordinates = of.options.coordinates;
        return coordinates.dimensions > 0 ? amg::rigid_body_modes(backend(), coordinates, block)
                                          : amg::constants(backend(), of.a.n_rows, block);
    }

    /// The same numbers in the order of the host: all modes of a row one after the other.
    HostVector<double> by_rows(const DeviceVector<double>& numbers, Index height, Index modes) {
        const HostVector<double> from = to_host(numbers);
        HostVector<double> to(from.size());
        for (Size e = 0; e < from.size(); ++e) {
            const Size node = e / (height * modes), mode = e / height % modes, row = e % height;
            to[(node * height + row) * modes + mode] = from[e];
        }
        return to;
    }

    /// The first steps on a device, with the aggregates that it finds.
    struct Steps {
        DeviceCsr<double> a;
        amg::DeviceMatrix found;
        amg::DeviceBlockMatrix blocks;
        DeviceCsr<double> norms;
        amg::DeviceMatrix found_of_norms;
        amg::DeviceStrength strength;
        amg::DeviceAggregates aggregates;
    };
    Steps steps(const HostCsr<double>& a, Index block) {
        Cuda& cuda = backend();
        Steps s{.a = stiefel::to_device(cuda, a),
                .found = {},
                .blocks = {},
                .norms = {},
                .found_of_norms = {},
                .strength = {},
                .aggregates = {}};
        s.found = amg::looked_at(cuda, s.a);
        s.blocks = amg::to_blocks(cuda, s.a, block);
        s.norms = amg::block_norms(cuda, s.blocks);
        s.found_of_norms = amg::looked_at(cuda, s.norms);
        s.strength = amg::find_strong(cuda, s.norms, s.found_of_norms, amg::Strength::theta_of_blocks);
        amg::LevelFacts facts;
        s.aggregates = amg::parallel_aggregates(cuda, s.norms, s.strength, s.found_of_norms, facts);
        return s;
    }
    amg::Aggregates on_host(const amg::DeviceAggregates& aggregates) {
        return {.of_node = to_host(aggregates.of_node), .count = aggregates.count};
    }
    HostCsr<double> entries(const amg::DeviceBlockMatrix& blocks) {
        return stiefel::to_host(backend(), amg::to_csr(backend(), blocks));
    }

    Size iterations(const HostCsr<double>& a, const amg::SetupOptions& options, HostVector<double>* x = nullptr) {
        Cuda& cuda = backend();
        const auto there = stiefel::to_device(cuda, a);
        const Amg<Cuda, double> m(cuda, there, options);
        const auto b = to_device(random_vector<double>(a.n_rows, 7));
        auto found = to_device(HostVector<double>(a.n_rows, 0.0));
        const SolveResult result = cg(cuda, there, m, b, found, {.rtol = 1e-8});
        EXPECT_EQ(result.reason, StopReason::converged);
        if (x != nullptr) *x = to_host(found);
        return result.iterations;
    }

    OpenMP host_{2};
};

void expect_near(const HostCsr<double>& found, const HostCsr<double>& expected, double tolerance) {
    ASSERT_TRUE(well_formed(found));
    ASSERT_EQ(found.n_rows, expected.n_rows);
    ASSERT_EQ(found.n_cols, expected.n_cols);
    ASSERT_EQ(found.nnz(), expected.nnz());
    ASSERT_TRUE(std::ranges::equal(found.col_idx, expected.col_idx));
    double largest = 0;
    for (const double value : expected.values.span()) largest = std::max(largest, std::abs(value));
    for (Size k = 0; k < found.nnz(); ++k) {
        ASSERT_NEAR(found.values[k], expected.values[k], tolerance * largest) << k;
    }
}

TEST_F(CudaAmgBlocks, AreThoseOfTheHost) {
    for (const Index size : {2, 3, 6}) {
        SCOPED_TRACE(size);
        const auto a = random_csr<double>({.n_rows = 480, .n_cols = 480, .mean_row = 8, .seed = 1});
        const auto expected = amg::to_blocks(host_, a, size);
        const auto blocks = amg::to_blocks(backend(), stiefel::to_device(backend(), a), size);
        EXPECT_EQ(blocks.n_blocks(), expected.col_idx.size());
        expect_near(entries(blocks), amg::to_csr(host_, expected), 0);
        expect_near(entries(amg::transpose(backend(), blocks)), amg::to_csr(host_, amg::transpose(host_, expected)), 0);
        expect_near(stiefel::to_host(backend(), amg::block_norms(backend(), blocks)), amg::block_norms(host_, expected),
                    1e-15);
        expect_near(entries(amg::product(backend(), blocks, blocks)),
                    amg::to_csr(host_, amg::product(host_, expected, expected)), 1e-14);
    }
}

/// Rows of more columns than the tables of any list but the last hold.
TEST_F(CudaAmgBlocks, AreMultipliedHoweverLongRowsAre) {
    std::vector<std::vector<std::pair<Index, double>>> rows(600);
    for (Index i = 0; i < 600; ++i) {
        const Index step = i < 6 ? 1 : i < 12 ? 3 : 150;
        for (Index j = i % step; j < 600; j += step)
            rows[static_cast<std::size_t>(i)].emplace_back(j, 1.0 + i % 7 - j % 5);
    }
    const auto a = csr_from_rows<double>(600, rows);
    for (const Index size : {2, 3, 6}) {
        const auto blocks = amg::to_blocks(backend(), stiefel::to_device(backend(), a), size);
        const auto expected = amg::to_blocks(host_, a, size);
        expect_near(entries(amg::product(backend(), blocks, blocks)),
                    amg::to_csr(host_, amg::product(host_, expected, expected)), 1e-13);
    }
}

TEST_F(CudaAmgBlocks, ModesAreThoseOfTheHost) {
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(testing::Message() << shape.first << " " << shape.second);
        const Body of = body(shape);
        const auto expected = space(of, shape.first);
        const auto there = space_there(of, shape.first);
        ASSERT_EQ(there.modes, shape.second);
        EXPECT_TRUE(
            std::ranges::equal(by_rows(there.values, there.height, there.modes).span(), expected.values.span()));
    }
}

TEST_F(CudaAmgBlocks, ProlongationAndCoarseMatrixAreThoseOfTheHost) {
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(testing::Message() << shape.first << " " << shape.second);
        const auto [block, modes] = shape;
        const Body of = body(shape);
        const Steps s = steps(of.a, block);
        const auto blocks = amg::to_blocks(host_, of.a, block);
        const auto norms = amg::block_norms(host_, blocks);
        const amg::Aggregates aggregates = on_host(s.aggregates);
        const auto expected_t = amg::tentative_prolongation(host_, aggregates, space(of, block));
        const auto t = amg::tentative_prolongation(backend(), s.aggregates, space_there(of, block));
        const auto values = by_rows(t.values, block, modes), coarse = by_rows(t.coarse.values, modes, modes);
        for (Size e = 0; e < values.size(); ++e) ASSERT_NEAR(values[e], expected_t.values[e], 1e-12);
        for (Size e = 0; e < coarse.size(); ++e) ASSERT_NEAR(coarse[e], expected_t.coarse.values[e], 1e-12);

        const amg::Strength strength(host_, norms, amg::Strength::theta_of_blocks);
        const auto expected = amg::block_prolongation(host_, blocks, strength, aggregates, expected_t, 2.5);
        const auto p =
            amg::block_prolongation(backend(), s.blocks, s.found.inverse_root, s.strength, s.aggregates, t, 2.5);
        expect_near(entries(p), amg::to_csr(host_, expected), 1e-12);
        const auto r = amg::transpose(backend(), p);
        const auto product = amg::product(backend(), r, amg::product(backend(), s.blocks, p));
        expect_near(entries(product),
                    amg::to_csr(host_, amg::product(host_, amg::transpose(host_, expected),
                                                    amg::product(host_, blocks, expected))),
                    1e-12);
    }
}

TEST_F(CudaAmgBlocks, AbsentUnknownsAreThoseOfTheHost) {
    const BodyWithLooseNodes body = body_with_loose_nodes(host_, 4);
    const HostCsr<double>& a = body.a;
    const amg::Coordinates coordinates = body.coordinates();
    const Steps s = steps(a, 3);
    const auto t =
        amg::tentative_prolongation(backend(), s.aggregates, amg::rigid_body_modes(backend(), coordinates, 3));
    const auto p = amg::block_prolongation(backend(), s.blocks, s.found.inverse_root, s.strength, s.aggregates, t, 2.5);
    const auto r = amg::transpose(backend(), p);
    auto coarse = amg::product(backend(), r, amg::product(backend(), s.blocks, p));
    HostCsr<double> expected = entries(coarse);
    const auto settled = amg::coarse_diagonal(host_, expected, entries(p), amg::diagonal_of(host_, a));
    amg::drop_absent(settled, expected);
    ASSERT_TRUE(settled.any_absent);
    const auto found = amg::settled_diagonal(backend(), coarse, r, s.found.diagonal);
    EXPECT_TRUE(std::ranges::equal(to_host(found.diagonal).span(), settled.values.span()));
    expect_near(entries(coarse), expected, 0);
    EXPECT_LE(iterations(a, {.coordinates = coordinates}), 16);
}

TEST_F(CudaAmgBlocks, NodesAreFoundWhereTheHostFindsThem) {
    std::vector<HostCsr<double>> all;
    all.push_back(elasticity3d<double>(host_, 5, 4, 6));
    for (const Index size : {2, 3, 6}) all.push_back(in_blocks(poisson3d<double>(host_, 6, 6, 5), size));
    all.push_back(poisson3d<double>(host_, 6, 6, 6));
    all.push_back(csr_from_rows<double>(2, {{{0, 2.0}, {1, 1.0}}, {{0, 1.0}, {1, 2.0}}}));
    for (const auto& a : all) {
        const auto there = stiefel::to_device(backend(), a);
        const auto found = amg::looked_at(backend(), there);
        EXPECT_EQ(amg::find_components(backend(), there, load(backend(), found.facts)), amg::find_components(host_, a))
            << a.n_rows;
    }
}

TEST_F(CudaAmgBlocks, NeedFewIterations) {
    for (const Shape& shape : shapes) {
        const Body of = body(shape);
        EXPECT_TRUE(amg::suits_device(of.options));
        const Amg<OpenMP, double> m(host_, of.a, of.options);
        const HostVector<double> b = random_vector<double>(of.a.n_rows, 7);
        HostVector<double> x(of.a.n_rows, 0.0);
        const Size expected = cg(host_, of.a, m, b, x, {.rtol = 1e-8}).iterations;
        EXPECT_LE(iterations(of.a, of.options), expected + expected / 4 + 2) << shape.first << " " << shape.second;
    }
}

TEST_F(CudaAmgBlocks, GiveTheSameBitsInEveryRun) {
    const Body of = body({3, 6});
    HostVector<double> first, again;
    iterations(of.a, of.options, &first);
    for (int run = 0; run < 3; ++run) {
        iterations(of.a, of.options, &again);
        EXPECT_EQ(std::memcmp(again.data(), first.data(), static_cast<std::size_t>(first.bytes())), 0);
    }
}

/// Of other sizes the host sets up.
TEST_F(CudaAmgBlocks, MayBeOfAnySize) {
    const auto a = in_blocks(poisson3d<double>(host_, 5, 5, 5), 4);
    EXPECT_FALSE(amg::suits_device({.block_size = 4}));
    EXPECT_LE(iterations(a, {.block_size = 4}), 14);
}

TEST_F(CudaAmgBlocks, SayWhatWouldFit) {
    const auto a = elasticity3d<double>(host_, 3, 2, 2);
    const auto refused = [&](const amg::SetupOptions& options) {
        return refusal([&] { const Amg<Cuda, double> m(backend(), stiefel::to_device(backend(), a), options); });
    };
    EXPECT_NE(refused({.block_size = 7}).find("81 rows"), std::string::npos);
    const HostVector<double> points(81, 1.0);
    const amg::Coordinates few{.nodes = 26, .dimensions = 3, .values = {points.data(), 78}};
    EXPECT_NE(refused({.block_size = 3, .coordinates = few}).find("27 nodes"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
