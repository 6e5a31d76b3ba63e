#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/neighbourhoods.hpp"
#include "stiefel/preconditioner/amg/cuda/pairs.hpp"
#include "stiefel/preconditioner/amg/pairs.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/beyond_rows.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/cg.hpp"

#include "support/coupled_matrices.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/laplacians.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

// The first step of multigrid's set-up by pairs on a device, against the host's.

namespace stiefel::test {
namespace {

using amg::Pairs;

class CudaAmgPairs : public OnCuda {
protected:
    struct Looked {
        DeviceCsr<double> a;
        amg::DeviceMatrix found;
    };
    Looked look(const HostCsr<double>& a) {
        Looked looked{.a = stiefel::to_device(backend(), a), .found = {}};
        looked.found = amg::look_at_diagonal(backend(), looked.a);
        amg::look_at_rows(backend(), looked.a, looked.found);
        return looked;
    }

    template <class T>
    HostVector<T> downloaded(const DeviceVector<T>& there) {
        HostVector<T> here(there.size());
        download(backend(), there, here);
        backend().synchronize();
        return here;
    }
    Pairs to_host(const amg::DevicePairs& pairs) {
        return {downloaded(pairs.first), downloaded(pairs.second), downloaded(pairs.of_node)};
    }

    Pairs on_host(const HostCsr<double>& a) {
        const amg::GridLines lines = amg::lines_of(a);
        return amg::strongest_pairs(host_, a, amg::diagonal_of(host_, a), {&lines});
    }
    amg::DevicePairs on_device(const Looked& looked) {
        const DeviceVector<amg::GridLines> lines = amg::lines_of(backend(), looked.a);
        return amg::strongest_pairs(backend(), looked.a, looked.found, {lines.data()});
    }

    /// And one with a diagonal that is not positive.
    std::vector<HostCsr<double>> matrices() {
        std::vector<HostCsr<double>> all = coupled_matrices(host_);
        all.push_back(csr_from_rows<double>(2, {{{0, -1.0}, {1, 1.0}}, {{0, 1.0}, {1, 0.0}}}));
        return all;
    }

    OpenMP host_{2};
};

TEST_F(CudaAmgPairs, AreThoseOfTheHostOnGrids) {
    for (const auto& a : {poisson3d<double>(host_, 16, 10, 12), poisson2d<double>(host_, 64, 48),
                          anisotropic2d<double>(host_, 40, 30, 1e-3), poisson3d<double>(host_, 17, 11, 13),
                          poisson2d<double>(host_, 65, 49)}) {
        const Looked looked = look(a);
        const Pairs got = to_host(on_device(looked)), expected = on_host(a);
        ASSERT_EQ(got.count(), expected.count());
        EXPECT_TRUE(std::equal(got.of_node.begin(), got.of_node.end(), expected.of_node.begin()));
        EXPECT_TRUE(std::equal(got.second.begin(), got.second.end(), expected.second.begin()));
    }
}

TEST_F(CudaAmgPairs, HoldEveryNodeOnceAndLeaveFewAlone) {
    for (const auto& a : matrices()) {
        const Looked looked = look(a);
        const Pairs pairs = to_host(on_device(looked));
        std::vector<int> seen(static_cast<std::size_t>(a.n_rows), 0);
        for (Index pair = 0; pair < pairs.count(); ++pair) {
            for (const Index node : {pairs.first[pair], pairs.second[pair]}) {
                if (node == Pairs::none) continue;
                ASSERT_TRUE(node >= 0 && node < a.n_rows);
                ++seen[static_cast<std::size_t>(node)];
                EXPECT_EQ(pairs.of_node[node], pair);
            }
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), a.n_rows);
        EXPECT_LE(pairs.count(), on_host(a).count() + a.n_rows / 20);
    }
}

/// With the pairs of the device.
TEST_F(CudaAmgPairs, AreSummedUpAsOnTheHost) {
    for (const auto& a : matrices()) {
        const Looked looked = look(a);
        const amg::DevicePairs pairs = on_device(looked);
        const Pairs here = to_host(pairs);
        const auto got =
            stiefel::to_host(backend(), amg::sum_of_pairs(backend(), looked.a, pairs.of_node, pairs, 1 / 1.8));
        const auto expected = amg::sum_of_pairs(host_, a, here, 1 / 1.8);
        ASSERT_TRUE(well_formed(got));
        ASSERT_EQ(got.nnz(), expected.nnz());
        EXPECT_TRUE(std::equal(got.col_idx.begin(), got.col_idx.end(), expected.col_idx.begin()));
        double most = 0;
        for (const double value : a.values.span()) most = std::max(most, std::abs(value));
        for (Size k = 0; k < got.nnz(); ++k) {
            EXPECT_NEAR(got.values[k], expected.values[k],
                        4 * 4 * 0x1p-53 * most);  // at most four terms, four roundings
        }
    }
}

TEST_F(CudaAmgPairs, KeepWeakCouplingsAsOnTheHost) {
    bool any_kept = false;
    for (HostCsr<double>& a : coupled_matrices(host_)) {
        DeviceCsr<double> there = stiefel::to_device(backend(), a);
        amg::keep_weak_couplings(backend(), there, amg::looked_at(backend(), there), amg::over_correction - 1);
        const HostCsr<double> got = stiefel::to_host(backend(), there);
        const HostVector<double> before = a.values.clone();
        amg::keep_weak_couplings(host_, a);
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                double size = 0;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) size += std::abs(a.values[k]);
                const auto n = static_cast<double>(row_ptr[i + 1] - row_ptr[i]);
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    // Two sums of n terms in other orders, multiplied and added.
                    EXPECT_NEAR(got.values[k], a.values[k], 2 * (n + 2) * 0x1p-53 * size) << i;
                    any_kept = any_kept || a.values[k] != before[k];
                }
            }
        });
    }
    EXPECT_TRUE(any_kept);
}

TEST_F(CudaAmgPairs, KeepSumsOfRowsAsOnTheHost) {
    auto all = matrices();
    for (HostCsr<double>& a : all) {
        const HostVector<double> more = random_vector<double>(a.n_rows, 3);
        a.row_ptr.visit([&](const auto* row_ptr) {  // sums of both signs
            for (Index i = 0; i < a.n_rows; ++i) {
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    if (a.col_idx[k] == i) a.values[k] += more[i] * std::abs(a.values[k]);
                }
            }
        });
        DeviceCsr<double> there = stiefel::to_device(backend(), a);
        amg::keep_row_sums(backend(), there, amg::over_correction - 1);
        const HostCsr<double> got = stiefel::to_host(backend(), there);
        const HostVector<double> before = a.values.clone();
        amg::keep_row_sums(host_, a);
        bool any_kept = false, any_left = false;
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                double size = 0;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) size += std::abs(before[k]);
                const auto n = static_cast<double>(row_ptr[i + 1] - row_ptr[i]);
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    // Two sums of n terms in other orders, multiplied and added.
                    EXPECT_NEAR(got.values[k], a.values[k], 2 * (n + 2) * 0x1p-53 * size) << i;
                    if (a.col_idx[k] == i) (a.values[k] != before[k] ? any_kept : any_left) = true;
                }
            }
        });
        EXPECT_TRUE(any_kept);
        EXPECT_TRUE(any_left || a.n_rows <= 3);
    }
}

TEST_F(CudaAmgPairs, NeighbourhoodsAreThoseOfTheHost) {
    for (const auto& a : {poisson3d<double>(host_, 20, 20, 20), poisson2d<double>(host_, 70, 70),
                          anisotropic2d<double>(host_, 60, 60, 1e-3), stencil27<double>(host_, 12, 12, 12),
                          jump_diffusion3d<double>(host_, 16, 16, 16, {.contrast = 1e4}), path_laplacian(3)}) {
        const Looked looked = look(a);
        const auto got = amg::sample_neighbourhoods(backend(), looked.a, looked.found);
        const auto expected = amg::sample_neighbourhoods(a, amg::diagonal_of(host_, a));
        EXPECT_EQ(got.strong, expected.strong);
        EXPECT_EQ(got.dimension, expected.dimension);
        EXPECT_EQ(got.smoothed_growth, expected.smoothed_growth);
    }
}

TEST_F(CudaAmgPairs, MakeMultigridOfFewIterations) {
    const auto iterations = [&](const HostCsr<double>& a, std::string_view coarsening) {
        const DeviceCsr<double> there = stiefel::to_device(backend(), a);
        const Amg<Cuda, double> m(backend(), there, {.coarsening = coarsening});
        EXPECT_EQ(m.details().multigrid->coarsening, coarsening);
        const HostVector<double> rhs = random_vector<double>(a.n_rows, 7);
        auto b = make_vector<double>(backend(), a.n_rows), x = make_vector<double>(backend(), a.n_rows);
        upload(backend(), rhs, b);
        backend().zero_bytes(x.data(), x.bytes());
        const SolveResult result = cg(backend(), there, m, b, x, {.rtol = 1e-8});
        EXPECT_EQ(result.reason, StopReason::converged);
        return result.iterations;
    };
    for (const std::string_view coarsening : {"smoothed", "pairs"}) {
        EXPECT_LE(iterations(poisson3d<double>(host_, 40, 40, 40), coarsening), 16);
        EXPECT_LE(iterations(poisson2d<double>(host_, 200, 200), coarsening), 20);
        for (const double contrast : {1.0, 1e4, 1e8}) {
            EXPECT_LE(iterations(jump_diffusion3d<double>(host_, 24, 24, 24, {.contrast = contrast}), coarsening), 22);
        }
    }
}

TEST_F(CudaAmgPairs, GiveTheSameBitsInEveryRun) {
    const auto a = jump_diffusion3d<double>(host_, 30, 29, 31, {.contrast = 1e3});
    const Looked looked = look(a);
    const amg::DevicePairs pairs = on_device(looked);
    const auto sum = stiefel::to_host(backend(), amg::sum_of_pairs(backend(), looked.a, pairs.of_node, pairs, 1));
    for (int run = 0; run < 3; ++run) {
        const amg::DevicePairs again = on_device(looked);
        const auto values =
            stiefel::to_host(backend(), amg::sum_of_pairs(backend(), looked.a, again.of_node, again, 1)).values;
        ASSERT_EQ(values.size(), sum.values.size());
        EXPECT_EQ(std::memcmp(values.data(), sum.values.data(), static_cast<std::size_t>(values.bytes())), 0);
    }
}

/// On the host: what other ranks' columns are numbered as, whatever lies between them.
TEST(BeyondRows, NumberTheColumnsThatThereAreInTheirOrder) {
    EXPECT_TRUE(amg::beyond_rows({}).ghosts.empty());
    const Size far = Size{1} << 33;
    const std::vector<amg::BeyondEntry> entries{{0, far + 3, 1}, {0, far + 66, 2}, {0, far + 2000, 3},
                                                {4, far + 2, 4}, {4, far + 66, 5}, {5, far + 67, 6}};
    const SplitRows<double> rows = amg::beyond_rows(entries);
    EXPECT_EQ(rows.ghosts, (std::vector<Size>{far + 2, far + 3, far + 66, far + 67, far + 2000}));
    EXPECT_TRUE(std::ranges::equal(rows.boundary.span(), std::vector<Index>{0, 4, 5}));
    EXPECT_TRUE(std::ranges::equal(rows.beyond.col_idx.span(), std::vector<Index>{1, 2, 4, 0, 2, 3}));
    EXPECT_TRUE(std::ranges::equal(rows.beyond.values.span(), std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(rows.beyond.n_rows, 3);
    EXPECT_EQ(rows.beyond.n_cols, 5);
}

}  // namespace
}  // namespace stiefel::test
