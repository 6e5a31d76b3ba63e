// Sums on a device end over its world before anything is decided by them. In a world of four that hold the same numbers
// every sum is four times as large, and every length twice: powers of two, so that runs have the bits of a run alone.
// A kernel that forgot the world would decide by a quarter of a sum.
#include "stiefel/dense/norm.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/lobpcg.hpp"
#include "stiefel/solver/spmm_gram.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "support/backends.hpp"
#include "support/block_cg_operands.hpp"
#include "support/cuda.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::test {
namespace {

constexpr double copies = 4;

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
    HostVector<T> here(v.size());
    download(backend, v, here);
    return here;
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
        Cuda alone, of_four;
        of_four.join({.copies = copies});
        return std::pair(f(alone), f(of_four));
    }

    template <class U>
    static DeviceVector<U> brought(Cuda& backend, const HostVector<U>& v) {
        DeviceVector<U> there(backend, v.size());
        upload(backend, v, there);
        return there;
    }

    /// f(backend) leaves sums.
    template <class F>
    static void expect_sums_of_four(const char* what, F&& f) {
        const auto [alone, of_four] = both(f);
        ASSERT_EQ(alone.size(), of_four.size());
        for (Size i = 0; i < alone.size(); ++i) ASSERT_EQ(of_four[i], copies * alone[i]) << what << ' ' << i;
        EXPECT_TRUE(std::any_of(alone.begin(), alone.end(), [](double sum) { return sum != 0; })) << what;
    }

    template <class U>
    static void expect_same(const HostVector<U>& alone, const HostVector<U>& of_four, const char* what) {
        ASSERT_TRUE(std::equal(alone.begin(), alone.end(), of_four.begin(), of_four.end())) << what;
    }

    OpenMP maker{2};
};
TYPED_TEST_SUITE(CudaWorld, EveryType);

TYPED_TEST(CudaWorld, EndsGramMatrices) {
    using T = TypeParam;
    constexpr Index n = 3001;
    for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {4, 4}, {8, 8}, {5, 16}, {32, 32}, {50, 64}}) {
        this->expect_sums_of_four("gram", [&](Cuda& backend) {
            const auto p = this->brought(backend, random_vector<T>(n * rows, 1));
            const auto q = this->brought(backend, random_vector<T>(n * cols, 2));
            const Size ld = cols + 3;
            auto g = this->brought(backend, HostVector<double>(rows * ld, 0.0));
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
            this->expect_sums_of_four("spmm_gram", [&](Cuda& backend) {
                const DeviceCsr<T> csr = stiefel::to_device(backend, host);
                const DeviceSell<T> sell = sell_from_csr(backend, csr, 32, 1);
                const auto s = this->brought(backend, random_vector<T>(Size{n} * k, 3));
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
            this->expect_sums_of_four("block_cg_residual", [&](Cuda& backend) {
                const BlockCgOperands<T> from(n, k);
                const auto as = this->brought(backend, from.as.values());
                auto w = this->brought(backend, from.w.values());
                BlockCgStorage<Cuda> storage(backend, k);
                upload(backend, from.doubles, storage.doubles());
                const BlockCgMatrices small = storage.matrices(weighted);
                auto state = make_vector<CgState>(backend, 1);
                store(backend, CgState{.max_iterations = 10}, state);
                const DeviceJacobi<T> jacobi{this->brought(backend, HostVector<T>(n, T(0.5)))};
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
        this->expect_sums_of_four("ritz_residual", [&](Cuda& backend) {
            const auto ax = this->brought(backend, random_vector<T>(Size{n} * k, 4));
            const auto x = this->brought(backend, random_vector<T>(Size{n} * k, 5));
            const auto values = this->brought(backend, random_vector<double>(k, 6));
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
    const HostCsr<T> host = poisson2d<T>(this->maker, 60, 70);
    const HostVector<T> b = random_vector<T>(host.n_rows, 7);
    const CgOptions options{.rtol = 1e-5, .history = true};
    for (const bool jacobi : {false, true}) {
        const auto [alone, of_four] = this->both([&](Cuda& backend) {
            const DeviceCsr<T> a = stiefel::to_device(backend, host);
            const auto device_b = this->brought(backend, b);
            auto x = this->brought(backend, HostVector<T>(b.size(), T{0}));
            const SolveResult result = jacobi
                                           ? cg(backend, InGraph<T>{a}, make_jacobi(backend, a), device_b, x, options)
                                           : cg(backend, InGraph<T>{a}, device_b, x, options);
            return std::pair(result, host_of(backend, x));
        });
        EXPECT_EQ(of_four.first.reason, StopReason::converged);
        EXPECT_EQ(of_four.first.rhs_norm, 2 * alone.first.rhs_norm);
        EXPECT_EQ(of_four.first.history, alone.first.history);
        this->expect_same(alone.second, of_four.second, "x");
    }
}

/// A resident system exchanges its sums among its own blocks: in a world it is none.
TYPED_TEST(CudaWorld, NoSystemIsResidentInIt) {
    using T = TypeParam;
    Cuda backend;
    backend.join({.copies = copies});
    const DeviceCsr<T> a = stiefel::to_device(backend, poisson2d<T>(this->maker, 30, 30));
    CudaStep step = backend.record([] {});
    DeviceVector<T> x(backend, 900), r(backend, 900), p(backend, 900);
    auto state = make_vector<CgState>(backend, 1);
    set_resident(backend, step, a, Identity{}, x, r, p, state);
    EXPECT_FALSE(step.resident);
    backend.join({});
    set_resident(backend, step, a, Identity{}, x, r, p, state);
    EXPECT_TRUE(step.resident);
}

TYPED_TEST(CudaWorld, BlockCgDecidesAsAlone) {
    using T = TypeParam;
    const HostCsr<T> host = poisson2d<T>(this->maker, 50, 40);
    for (const Index k : {3, 8}) {
        const HostMultivector<T> b = random_panel<T>(host.n_rows, k, 8);
        const auto [alone, of_four] = this->both([&](Cuda& backend) {
            const DeviceCsr<T> a = stiefel::to_device(backend, host);
            const Multivector<T, DeviceMemory> device_b(this->brought(backend, b.values()), host.n_rows, k);
            Multivector<T, DeviceMemory> x(this->brought(backend, zero_panel<T>(host.n_rows, k).values()), host.n_rows,
                                           k);
            const BlockSolveResult result =
                block_cg(backend, a, make_jacobi(backend, a), device_b, x, {.rtol = 1e-5, .history = true});
            return std::pair(result, host_of(backend, x.values()));
        });
        EXPECT_EQ(of_four.first.reason, StopReason::converged);
        EXPECT_EQ(of_four.first.history, alone.first.history);
        this->expect_same(alone.second, of_four.second, "X");
    }
}

TYPED_TEST(CudaWorld, LobpcgDecidesAsAlone) {
    using T = TypeParam;
    const HostCsr<T> host = poisson2d<T>(this->maker, 20, 21);
    const auto [alone, of_four] = this->both([&](Cuda& backend) {
        const DeviceCsr<T> a = stiefel::to_device(backend, host);
        Multivector<T, DeviceMemory> x(this->brought(backend, random_panel<T>(host.n_rows, 3, 9).values()), host.n_rows,
                                       3);
        return lobpcg(backend, a, x, {.rtol = 1e-3});
    });
    EXPECT_EQ(of_four.reason, StopReason::converged);
    EXPECT_EQ(of_four.iterations, alone.iterations);
    ASSERT_EQ(of_four.pairs.size(), 3u);
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(of_four.pairs[j].value, alone.pairs[j].value) << j;
        EXPECT_EQ(of_four.pairs[j].residual, alone.pairs[j].residual) << j;
    }
}

}  // namespace
}  // namespace stiefel::test
