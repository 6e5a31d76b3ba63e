#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/preconditioner/block_jacobi/block_jacobi.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/solver/cg_solver.hpp"
#include "stiefel/solver/factored_loop.hpp"

#include "support/backends.hpp"
#include "support/columns.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"
#include "support/true_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

// CG with M = U L, or M = L, in one kernel, beside the same by kernels of a graph.

namespace stiefel::test {
namespace {

/// A preconditioner that does not say that it has factors.
template <class T, class M>
struct Hidden {
    const M& m;
    friend void precondition(Cuda& backend, const Hidden& hidden, MatrixOf<Cuda, const T> r, MatrixOf<Cuda, T> z) {
        precondition(backend, hidden.m, r, z);
    }
};

template <class T>
class CudaFactoredLoop : public OnCuda {
public:
    using Operator = SpmvOperator<Cuda, T>;

    template <class Matrix>
    Operator as_operator(Matrix a) {
        const auto& kernel = spmv_kernels(this->backend(), a).front();
        return Operator(std::move(a), kernel);
    }
    DeviceCsr<T> there(const HostCsr<T>& a) { return stiefel::to_device(this->backend(), a); }
    Operator in_csr(const HostCsr<T>& a) { return as_operator(stiefel::to_device(this->backend(), a)); }

    /// a in every format that devices have, f(name, operator).
    template <class F>
    void in_every_format(const HostCsr<T>& a, F&& f) {
        f("csr", in_csr(a));
        for (const auto layout : {EllpackLayout::row_major, EllpackLayout::column_major}) {
            f(layout == EllpackLayout::row_major ? "ellpack by rows" : "ellpack by columns",
              as_operator(stiefel::to_device(this->backend(), ellpack_from_csr(maker, a, layout))));
        }
        if (a.n_rows == 1) return;  // a slice would be padding
        for (const Index sigma : {1, 64}) {
            f(sigma == 1 ? "sell" : "sorted sell",
              as_operator(stiefel::to_device(this->backend(), sell_from_csr(maker, a, sell_slice_height, sigma))));
        }
    }

    struct Run {
        SolveResult result;
        HostVector<T> x;
    };
    template <class M>
    Run run(const Operator& a, const M& m, const HostVector<T>& b, CgOptions options = {}) {
        options.history = true;
        auto x = this->to_device(HostVector<T>(b.size(), T{0}));
        SolveResult result = cg(this->backend(), a, m, this->to_device(b), x, options);
        return {std::move(result), this->to_host(x)};
    }

    template <class M>
    bool is_one_kernel(const Operator& a, const M& m) {
        Cuda& backend = this->backend();
        CudaStep step = backend.record([] {});
        DeviceVector<T> x(backend, a.n_rows()), r(backend, a.n_rows()), p(backend, a.n_rows());
        auto state = make_vector<CgState>(backend, 1);
        set_factored(backend, step, a, m, x, r, p, state);
        return static_cast<bool>(step.resident);
    }

    OpenMP maker{2};
};
TYPED_TEST_SUITE(CudaFactoredLoop, EveryType);

/// One row, one block, some blocks, all of them; short rows and long ones, even and uneven.
template <class T, class F>
void on_factored_systems(OpenMP& maker, F&& f) {
    f("one row", diagonal_matrix<T>({2.0}));
    f("one block", poisson2d<T>(maker, 12, 9));
    f("some blocks", poisson2d<T>(maker, 90, 70));
    f("all blocks", poisson2d<T>(maker, 400, 300));
    f("jumps", jump_diffusion3d<T>(maker, 20, 20, 20, {.contrast = 100}));
    f("elasticity", elasticity3d<T>(maker, 12, 6, 6));
}

/// make(matrix on the device) is M.
template <class T, class Fixture, class Make>
void check_steps_of_the_graph(Fixture& test, OpenMP& maker, Make&& make) {
    constexpr bool wide = std::is_same_v<T, double>;
    on_factored_systems<T>(maker, [&](const std::string& name, const HostCsr<T>& host) {
        SCOPED_TRACE(name);
        const auto m = make(test.there(host));
        using M = std::remove_const_t<decltype(m)>;
        const HostVector<T> b = random_vector<T>(host.n_rows, 4);
        const CgOptions options{.rtol = wide ? 1e-9 : 1e-4};
        const auto by_graph = test.run(test.in_csr(host), Hidden<T, M>{m}, b, options);
        ASSERT_EQ(by_graph.result.reason, StopReason::converged);
        test.in_every_format(host, [&](const std::string& format, const SpmvOperator<Cuda, T>& a) {
            SCOPED_TRACE(format);
            ASSERT_TRUE(test.is_one_kernel(a, m));
            const auto one = test.run(a, m, b, options);
            EXPECT_EQ(one.result.reason, StopReason::converged);
            EXPECT_LE(true_relative_residual(host, b, one.x), options.rtol * (wide ? 1.001 : 1.05));
            // Rounding differs, and grows from one iteration to the next: the first steps are the same.
            const auto steps = std::min<std::size_t>({one.result.history.size(), by_graph.result.history.size(), 8});
            for (std::size_t i = 0; i < steps; ++i) {
                EXPECT_NEAR(one.result.history[i], by_graph.result.history[i],
                            (wide ? 1e-9 : 1e-3) * by_graph.result.history[i])
                    << i;
            }
            EXPECT_NEAR(static_cast<double>(one.result.iterations), static_cast<double>(by_graph.result.iterations),
                        2 + 0.05 * static_cast<double>(by_graph.result.iterations));
            const auto again = test.run(a, m, b, options);
            EXPECT_EQ(again.result.history, one.result.history);
            EXPECT_TRUE(std::equal(one.x.begin(), one.x.end(), again.x.begin(), again.x.end()));
        });
    });
}

TYPED_TEST(CudaFactoredLoop, TakesTheStepsOfTheGraph) {
    check_steps_of_the_graph<TypeParam>(*this, this->maker, [this](const DeviceCsr<TypeParam>& a) {
        return Fsai<Cuda, TypeParam>(this->backend(), a);
    });
}

TYPED_TEST(CudaFactoredLoop, TakesTheStepsOfTheGraphWithOneMatrix) {
    check_steps_of_the_graph<TypeParam>(*this, this->maker, [this](const DeviceCsr<TypeParam>& a) {
        return BlockJacobi<Cuda, TypeParam>(this->backend(), a);
    });
}

/// L r follows r by its own rounding, which is not to keep the residual from falling as far as it otherwise does.
TYPED_TEST(CudaFactoredLoop, GoesDownToWhatRoundingLeaves) {
    using T = TypeParam;
    on_factored_systems<T>(this->maker, [&](const std::string& name, const HostCsr<T>& host) {
        if (host.n_rows == 1) return;
        SCOPED_TRACE(name);
        const auto a = this->in_csr(host);
        const HostVector<T> b = random_vector<T>(host.n_rows, 6);
        const auto ends = [&](const auto& m) {
            const CgOptions down{.rtol = std::is_same_v<T, double> ? 1e-9 : 1e-4};
            const auto some = this->run(a, m, b, down);
            ASSERT_EQ(some.result.reason, StopReason::converged);
            const CgOptions all_the_way{.rtol = static_cast<double>(std::numeric_limits<T>::epsilon()) / 16};
            const auto all = this->run(a, m, b, all_the_way);
            EXPECT_EQ(all.result.reason, StopReason::stagnated);
            EXPECT_EQ(all.result.evidence, Evidence::rounding);
            EXPECT_LE(all.result.iterations, 10 * some.result.iterations + 100);
        };
        ends(Fsai<Cuda, T>(this->backend(), this->there(host)));
        ends(BlockJacobi<Cuda, T>(this->backend(), this->there(host)));
    });
}

/// As the program holds it, and kept for several right-hand sides.
TYPED_TEST(CudaFactoredLoop, ServesAnyPreconditionerAndManySolves) {
    using T = TypeParam;
    constexpr bool wide = std::is_same_v<T, double>;
    const HostCsr<T> host = poisson2d<T>(this->maker, 60, 50);
    const auto a = this->in_csr(host);
    const AnyPreconditioner<Cuda, T> m(Fsai<Cuda, T>(this->backend(), stiefel::to_device(this->backend(), host)));
    EXPECT_TRUE(m.sparse_factors());
    CgSolver<Cuda, T, SpmvOperator<Cuda, T>, AnyPreconditioner<Cuda, T>> solver(this->backend(), a, m, host.n_rows);
    for (const unsigned seed : {1u, 2u, 3u}) {
        const HostVector<T> b = random_vector<T>(host.n_rows, seed);
        auto x = this->to_device(HostVector<T>(b.size(), T{0}));
        const CgOptions options{.rtol = wide ? 1e-9 : 1e-4};
        EXPECT_EQ(solver.solve(this->to_device(b), x, options).reason, StopReason::converged);
        EXPECT_LE(true_relative_residual(host, b, this->to_host(x)), options.rtol * (wide ? 1.001 : 1.05));
    }
}

/// A world that no kernel is started in.
class PretendedWorld : public World {
public:
    int rank() const override { return 0; }
    int size() const override { return 2; }
    void all_sum(double*, Size) override {}
    void all_max(double*, Size) override {}
    DeviceWorld* on_device() const override { return reinterpret_cast<DeviceWorld*>(alignof(std::max_align_t)); }
};

/// Its blocks exchange sums among themselves alone, and what does not fit into the cache is better read by kernels that
/// read long vectors well.
TYPED_TEST(CudaFactoredLoop, LeavesWorldsAndLargeSystemsToTheGraph) {
    using T = TypeParam;
    Cuda& backend = this->backend();
    const HostCsr<T> small = poisson2d<T>(this->maker, 30, 30);
    const Fsai<Cuda, T> m(backend, stiefel::to_device(backend, small));
    EXPECT_TRUE(this->is_one_kernel(this->in_csr(small), m));
    PretendedWorld world;
    backend.join(world);
    EXPECT_FALSE(this->is_one_kernel(this->in_csr(small), m));
    static_cast<InWorld&>(backend) = InWorld();
    const auto side = static_cast<Index>(
        std::sqrt(static_cast<double>(backend.device().l2_bytes) / static_cast<double>(8 * sizeof(T)) + 1) + 1);
    const HostCsr<T> large = poisson2d<T>(this->maker, side, side);
    const Fsai<Cuda, T> of_large(backend, stiefel::to_device(backend, large));
    EXPECT_FALSE(this->is_one_kernel(this->in_csr(large), of_large));
}

}  // namespace
}  // namespace stiefel::test
