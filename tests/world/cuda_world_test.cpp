// Ranks with a GPU each, started by mpirun; more ranks than GPUs take turns on them.
//
// Sums on a device end over its world before anything is decided by them. Where all ranks hold the same numbers, every
// sum is as many times as large; with four ranks every length is twice as large: powers of two, so that runs have the
// bits of a run alone. A kernel that forgot the world would decide by a quarter of a sum.
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/dense/norm.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/solver/spmm_gram.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "support/backends.hpp"
#include "support/block_cg_operands.hpp"
#include "support/cuda.hpp"
#include "support/formats.hpp"
#include "support/mpi_world.hpp"
#include "support/world_amg_suite.hpp"
#include "support/world_ends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace stiefel::test {
namespace {

/// A matrix on the device that set_resident() does not know: CG's loop is a graph in either world.
template <class T>
struct InGraph {
    const DeviceCsr<T>& a;
};
template <class T>
void spmv(Cuda& backend, const InGraph<T>& in_graph, const DeviceVector<T>& x, DeviceVector<T>& y, T alpha, T beta) {
    spmv(backend, in_graph.a, x, y, alpha, beta);
}

template <class T>
HostVector<T> host_of(Cuda& backend, const DeviceVector<T>& v) {
    return on_host<Cuda, T>(backend, v);
}

template <class T>
class CudaWorld : public ::testing::Test {
protected:
    void SetUp() override {
        if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }

    /// What f(backend) gives alone, and in the world.
    template <class F>
    static auto both(F&& f) {
        Joined<Cuda> joined(ranks());
        Cuda alone(joined.backend.device().index);
        return std::pair(f(alone), f(joined.backend));
    }

    /// f(backend) leaves sums.
    template <class F>
    static void expect_sums_of_all(const char* what, F&& f) {
        const auto [alone, of_all] = both(f);
        ASSERT_EQ(alone.size(), of_all.size());
        for (Size i = 0; i < alone.size(); ++i) ASSERT_EQ(of_all[i], n_ranks() * alone[i]) << what << ' ' << i;
        EXPECT_TRUE(std::any_of(alone.begin(), alone.end(), [](double sum) { return sum != 0; })) << what;
    }

    template <class U>
    static void expect_same(const HostVector<U>& alone, const HostVector<U>& of_all, const char* what) {
        ASSERT_TRUE(std::equal(alone.begin(), alone.end(), of_all.begin(), of_all.end())) << what;
    }

    static double n_ranks() { return ranks().size(); }

    /// Whether lengths of all are exactly as many times those of one.
    static bool lengths_are_exact() { return ranks().size() == 1 || ranks().size() == 4; }

    OpenMP maker{2};
};
TYPED_TEST_SUITE(CudaWorld, EveryType);

TYPED_TEST(CudaWorld, EndsGramMatrices) {
    using T = TypeParam;
    constexpr Index n = 3001;
    for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {4, 4}, {8, 8}, {5, 16}, {32, 32}, {50, 64}}) {
        this->expect_sums_of_all("gram", [&](Cuda& backend) {
            const auto p = brought(backend, random_vector<T>(n * rows, 1));
            const auto q = brought(backend, random_vector<T>(n * cols, 2));
            const Size ld = cols + 3;
            auto g = brought(backend, HostVector<double>(rows * ld, 0.0));
            gram<T>(backend, as_matrix(p, n, rows), as_matrix(q, n, cols), {g.data(), rows, cols, ld});
            return host_of(backend, g);
        });
    }
}

TYPED_TEST(CudaWorld, EndsProductsWithTheirGramMatrix) {
    using T = TypeParam;
    const HostCsr<T> host = poisson2d<T>(this->maker, 40, 41);
    const Index n = host.n_rows;
    for (const Index k : {3, 8, 16, 32}) {
        for (const bool in_sell : {false, true}) {
            this->expect_sums_of_all("spmm_gram", [&](Cuda& backend) {
                const DeviceCsr<T> csr = stiefel::to_device(backend, host);
                const DeviceSell<T> sell = sell_from_csr(backend, csr, 32, 1);
                const auto s = brought(backend, random_vector<T>(Size{n} * k, 3));
                DeviceVector<T> as(backend, s.size());
                DeviceVector<double> sums(backend, Size{k} * k);
                if (in_sell) spmm_gram(backend, sell, as_matrix(s, n, k), as_matrix(as, n, k), as_matrix(sums, k, k));
                if (!in_sell) spmm_gram(backend, csr, as_matrix(s, n, k), as_matrix(as, n, k), as_matrix(sums, k, k));
                return host_of(backend, sums);
            });
        }
    }
}

TYPED_TEST(CudaWorld, EndsTheGramMatricesOfBlockResiduals) {
    using T = TypeParam;
    constexpr Index n = 1500;
    for (const Index k : {3, 8, 16, 32, 50}) {
        for (const bool weighted : {false, true}) {
            this->expect_sums_of_all("block_cg_residual", [&](Cuda& backend) {
                const BlockCgOperands<T> from(n, k);
                const auto as = brought(backend, from.as.values());
                auto w = brought(backend, from.w.values());
                BlockCgStorage<Cuda> storage(backend, k);
                upload(backend, from.doubles, storage.doubles());
                const BlockCgMatrices small = storage.matrices(weighted);
                auto state = make_vector<CgState>(backend, 1);
                store(backend, CgState{.max_iterations = 10}, state);
                const DeviceJacobi<T> jacobi{brought(backend, HostVector<T>(n, T(0.5)))};
                const auto run = [&](const auto& m) {
                    block_cg_residual(backend, m, DeviceMatrix<const T>(as_matrix(as, n, k)), as_matrix(w, n, k), small,
                                      state.data());
                };
                weighted ? run(jacobi) : run(Identity{});
                return small_matrix(backend, storage, weighted ? small.weighted : small.gram, k);
            });
        }
    }
}

TYPED_TEST(CudaWorld, EndsTheNormsOfRitzResiduals) {
    using T = TypeParam;
    constexpr Index n = 5000;
    for (const Index k : {1, 3, 10, 64}) {
        this->expect_sums_of_all("ritz_residual", [&](Cuda& backend) {
            const auto ax = brought(backend, random_vector<T>(Size{n} * k, 4));
            const auto x = brought(backend, random_vector<T>(Size{n} * k, 5));
            const auto values = brought(backend, random_vector<double>(k, 6));
            DeviceVector<T> r(backend, ax.size());
            DeviceVector<double> norms2(backend, k);
            ritz_residual<T>(backend, as_matrix(ax, n, k), as_matrix(x, n, k), values.data(), as_matrix(r, n, k),
                             norms2.data());
            return host_of(backend, norms2);
        });
    }
}

TYPED_TEST(CudaWorld, CgDecidesAsAlone) {
    using T = TypeParam;
    if (!this->lengths_are_exact()) GTEST_SKIP() << "the root of " << ranks().size() << " is no power of two";
    const HostCsr<T> host = poisson2d<T>(this->maker, 60, 70);
    const HostVector<T> b = random_vector<T>(host.n_rows, 7);
    const CgOptions options{.rtol = 1e-5, .history = true};
    for (const bool jacobi : {false, true}) {
        const auto [alone, of_all] = this->both([&](Cuda& backend) {
            const DeviceCsr<T> a = stiefel::to_device(backend, host);
            const auto device_b = brought(backend, b);
            auto x = brought(backend, HostVector<T>(b.size(), T{0}));
            const SolveResult result = jacobi
                                           ? cg(backend, InGraph<T>{a}, make_jacobi(backend, a), device_b, x, options)
                                           : cg(backend, InGraph<T>{a}, device_b, x, options);
            return std::pair(result, host_of(backend, x));
        });
        EXPECT_EQ(of_all.first.reason, StopReason::converged);
        EXPECT_EQ(of_all.first.rhs_norm, std::sqrt(this->n_ranks()) * alone.first.rhs_norm);
        EXPECT_EQ(of_all.first.history, alone.first.history);
        this->expect_same(alone.second, of_all.second, "x");
    }
}

/// A resident system exchanges its sums among its own blocks: in a world it is none.
TYPED_TEST(CudaWorld, NoSystemIsResidentInIt) {
    using T = TypeParam;
    const auto [alone, of_all] = this->both([&](Cuda& backend) {
        const DeviceCsr<T> a = stiefel::to_device(backend, poisson2d<T>(this->maker, 30, 30));
        CudaStep step = backend.record([] {});
        DeviceVector<T> x(backend, 900), r(backend, 900), p(backend, 900);
        auto state = make_vector<CgState>(backend, 1);
        set_resident(backend, step, a, Identity{}, x, r, p, state);
        return static_cast<bool>(step.resident);
    });
    EXPECT_TRUE(alone);
    EXPECT_EQ(of_all, ranks().size() == 1);
}

TYPED_TEST(CudaWorld, EndsMaxima) {
    using T = TypeParam;
    constexpr Index n = 700, k = 5;
    const auto largest = [&](Cuda& backend, T last) {
        HostVector<T> values(Size{n} * k, T(0.25));
        for (Index j = 0; j < k; ++j) values[Size{j} * k + j] = T(-1 - j - ranks().rank());
        values[0] = last;
        const auto a = brought(backend, values);
        DeviceVector<double> maxima(backend, k);
        column_maxima(backend, DeviceMatrix<const T>(as_matrix(a, n, k)), maxima.data());
        return std::pair(max_abs(backend, a), host_of(backend, maxima));
    };
    Joined<Cuda> joined(ranks());
    const auto [of_all, columns] = largest(joined.backend, T(-1));
    EXPECT_EQ(of_all, k + ranks().size() - 1);
    for (Index j = 1; j < k; ++j) EXPECT_EQ(columns[j], j + ranks().size()) << j;
    const bool is_last = ranks().rank() == ranks().size() - 1;
    const auto with_nan = largest(joined.backend, is_last ? std::numeric_limits<T>::quiet_NaN() : T(1));
    EXPECT_TRUE(std::isnan(with_nan.first));
    EXPECT_TRUE(std::isnan(with_nan.second[0]));
}

TYPED_TEST(CudaWorld, BlockCgDecidesAsAlone) {
    using T = TypeParam;
    if (!this->lengths_are_exact()) GTEST_SKIP() << "the root of " << ranks().size() << " is no power of two";
    const HostCsr<T> host = poisson2d<T>(this->maker, 50, 40);
    for (const Index k : {3, 8}) {
        const HostMultivector<T> b = random_panel<T>(host.n_rows, k, 8);
        const auto [alone, of_all] = this->both([&](Cuda& backend) {
            const DeviceCsr<T> a = stiefel::to_device(backend, host);
            const Multivector<T, DeviceMemory> device_b(brought(backend, b.values()), host.n_rows, k);
            Multivector<T, DeviceMemory> x(brought(backend, zero_panel<T>(host.n_rows, k).values()), host.n_rows, k);
            const BlockSolveResult result =
                block_cg(backend, a, make_jacobi(backend, a), device_b, x, {.rtol = 1e-5, .history = true});
            return std::pair(result, host_of(backend, x.values()));
        });
        EXPECT_EQ(of_all.first.reason, StopReason::converged);
        EXPECT_EQ(of_all.first.history, alone.first.history);
        this->expect_same(alone.second, of_all.second, "X");
    }
}

TYPED_TEST(CudaWorld, ProductsAreThoseOfTheWhole) {
    products_are_those_of_the_whole<Cuda, TypeParam>(ranks());
}

/// A x and <x, A x> in extended precision, and how far a product may be from them.
template <class T>
struct ExactProduct {
    std::vector<long double> rows, bounds;
    long double dot = 0, dot_bound = 0;

    ExactProduct(const HostCsr<T>& a, const HostVector<T>& x) {
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                long double sum = 0, absolutes = 0;
                for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                    const long double term = static_cast<long double>(a.values[e]) * x[a.col_idx[e]];
                    sum += term;
                    absolutes += std::abs(term);
                }
                const auto n_terms = static_cast<long double>(row_ptr[i + 1] - row_ptr[i]);
                rows.push_back(sum);
                bounds.push_back(sum_bound<T>(n_terms, absolutes));
                dot += x[i] * sum;
                dot_bound += std::abs(x[i]) * (bounds.back() + absolutes * 2e-13L);
            }
        });
    }
};

/// Whatever multiplies by own columns, with the rows' own kernels and with those that do all of a product at once: y,
/// and the inner product that goes on to who adds boundary rows. One product follows the other, as letters do.
TYPED_TEST(CudaWorld, EveryKernelMultipliesByTheWhole) {
    using T = TypeParam;
    Ranks& all = ranks();
    Joined<Cuda> joined(all);
    Cuda& backend = joined.backend;
    auto list = systems<T>();
    list.emplace_back("one way", one_way<T>(50));
    list.emplace_back("27 points, 17^3", stencil27<T>(this->maker, 17, 17, 17));
    list.emplace_back("7 points, 40 x 40 x 30", poisson3d<T>(this->maker, 40, 40, 30));
    for (const auto& [name, a] : list) {
        const RowBlocks blocks = random_blocks(a.n_rows, all.size(), 4);
        const Index n = blocks.n_rows_of(all.rank());
        std::vector<HostVector<T>> x;
        std::vector<ExactProduct<T>> exact;
        for (const std::uint64_t seed : {5u, 6u, 7u}) {
            x.push_back(random_vector<T>(a.n_rows, seed));
            exact.emplace_back(a, x.back());
        }
        const auto split = [&, &a = a] { return split_rows(rows_of(a, blocks, all.rank()), blocks, all.rank()); };
        for_each_format(split().own, [&, &name = name](const std::string& format, const auto& matrix) {
            for (const auto& kernel : spmv_kernels(backend, to_device(backend, matrix))) {
                const std::string what = name + ", " + format + ", " + std::string(kernel.name);
                const WorldOperator<Cuda, T> on_world(
                    backend, joined.ranks, blocks, SpmvOperator<Cuda, T>(to_device(backend, matrix), kernel), split());
                std::vector<DeviceVector<T>> x_here, y;
                std::vector<DeviceVector<double>> dots;
                for (const HostVector<T>& of_all : x) {
                    x_here.push_back(brought(backend, part_of(of_all, blocks, all.rank())));
                    y.push_back(brought(backend, HostVector<T>(n, std::numeric_limits<T>::quiet_NaN())));
                    dots.push_back(brought(backend, HostVector<double>(1, std::numeric_limits<double>::quiet_NaN())));
                }
                for (std::size_t t = 0; t < x.size(); ++t) spmv_dot(backend, on_world, x_here[t], y[t], dots[t].data());
                for (std::size_t t = 0; t < x.size(); ++t) {
                    EXPECT_TRUE(within(load(backend, dots[t]), exact[t].dot, exact[t].dot_bound)) << what;
                    const HostVector<T> own_y = host_of(backend, y[t]);
                    for (Index i = 0; i < n; ++i) {
                        const auto row = static_cast<std::size_t>(blocks.first(all.rank()) + i);
                        ASSERT_TRUE(within(own_y[i], exact[t].rows[row], exact[t].bounds[row]))
                            << what << ", row " << i;
                    }
                }
            }
        });
    }
}

TYPED_TEST(CudaWorld, CgSolvesItInAllAlike) {
    cg_solves_it_in_all_alike<Cuda, TypeParam>(ranks());
}

TYPED_TEST(CudaWorld, BlockCgSolvesItInAllAlike) {
    block_cg_solves_it_in_all_alike<Cuda, TypeParam>(ranks());
}

TYPED_TEST(CudaWorld, EndsAreTheSameInAll) {
    ends_of_cg_are_the_same_in_all<Cuda, TypeParam>(ranks());
    ends_of_block_cg_are_the_same_in_all<Cuda, TypeParam>(ranks());
}

TYPED_TEST(CudaWorld, EigenpairsAreThoseOfTheWhole) {
    eigenpairs_are_those_of_the_whole<Cuda, TypeParam>(ranks());
}

TYPED_TEST(CudaWorld, AmgTakesHardlyMoreIterationsThanInOneProcess) {
    amg_takes_hardly_more_iterations<Cuda, TypeParam>(ranks());
}

TYPED_TEST(CudaWorld, AmgIsSymmetricAndPositiveForAnyRowsOfAnyRanks) {
    amg_is_symmetric_and_positive<Cuda, TypeParam>(ranks());
}

TYPED_TEST(CudaWorld, AmgOfFewRowsIsThatOfOneProcess) {
    amg_of_few_rows_is_that_of_one_process<Cuda>(ranks());
}

TYPED_TEST(CudaWorld, AmgRefusesWhatIsWrongInOneRankInAll) {
    amg_refuses_in_all_ranks<Cuda>(ranks());
}

/// By the devices' clocks, and within the time that the solve takes.
TEST(CudaWorldOfRanks, WaitsAreMeasured) {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    OpenMP host(1);
    const HostCsr<double> a = poisson2d<double>(host, 90, 80);
    const RowBlocks blocks = RowBlocks::even(a.n_rows, ranks().size());
    Joined<Cuda> joined(ranks());
    Cuda& backend = joined.backend;
    const auto on_world = world_operator(backend, joined.ranks, a, blocks);
    const HostVector<double> b = random_vector<double>(a.n_rows, 6);
    const auto own_b = brought(backend, part_of(b, blocks, ranks().rank()));
    auto x = brought(backend, HostVector<double>(own_b.size(), 0.0));
    const stiefel::CudaWorld::Waits before = joined.ranks.waits();
    const Stopwatch watch;
    const SolveResult result = cg(backend, on_world, own_b, x, {.rtol = 1e-10});
    const stiefel::CudaWorld::Waits after = joined.ranks.waits();
    const double elapsed = watch.seconds(), sums = after.sums - before.sums, halos = after.halos - before.halos;
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_GE(halos, 0);
    EXPECT_LE(sums + halos, elapsed);
    // Some hundred exchanges, of which none takes less than a trip to another memory.
    double all = sums;
    ranks().all_sum(&all, 1);
    EXPECT_EQ(all > 0, ranks().size() > 1);
}

TEST(CudaWorldOfRanks, OneThatWantsToEndEndsAll) {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    one_that_wants_to_end_ends_all<Cuda>(ranks());
}

TEST(CudaWorldOfRanks, OneWhoseTimeIsUpEndsAll) {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    if (ranks().size() == 1) GTEST_SKIP() << "one alone hears of it within its window";
    one_whose_time_is_up_ends_all<Cuda>(ranks(), world_window + loop_slack);
}

/// A backend cannot be told to end its sums where only hosts are.
TEST(CudaWorldOfRanks, AWorldOfHostsIsRefused) {
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    Cuda backend;
    EXPECT_THROW(backend.join(ranks()), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
