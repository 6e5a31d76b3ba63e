#include "stiefel/core/cuda/graph.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/triangular/cuda/not_ready.hpp"
#include "stiefel/preconditioner/triangular/cuda/slices.hpp"
#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/expansion.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/dense_symbolic.hpp"
#include "support/solved_factor.hpp"
#include "support/triangular_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

// Triangular solves on a device: every rung against the residual of its result, in extended precision.

namespace stiefel::test {
namespace {

using triangular::DeviceSolve;
using triangular::in_levels;
using triangular::TriangularKernel;

template <class T>
class CudaTriangular : public OnCuda {
protected:
    /// R of k columns in rows of ld elements; what lies between is NaN.
    static HostVector<T> panel(Index n, Index k, Size ld, std::uint64_t seed) {
        HostVector<T> values = random_vector<T>(n * ld, seed);
        for (Index i = 0; i < n; ++i) std::fill(&values[i * ld + k], &values[i * ld] + ld, quiet_nan);
        return values;
    }

    HostVector<T> solved(const DeviceSolve<T>& solve, const HostVector<T>& r, Index k, Size r_ld, Size z_ld) {
        const auto r_there = this->to_device(r);
        auto z_there = this->to_device(HostVector<T>(Size{solve.n_rows()} * z_ld, T{77}));
        solve.run(this->backend(), {r_there.data(), solve.n_rows(), k, r_ld},
                  {z_there.data(), solve.n_rows(), k, z_ld});
        return this->to_host(z_there);
    }
    HostVector<T> solved(const DeviceSolve<T>& solve, const HostVector<T>& r) { return solved(solve, r, 1, 1, 1); }

    static void expect_same_bits(const HostVector<T>& a, const HostVector<T>& b) {
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())), 0);
    }

    /// f(kernel, factor) for every rung and factor.
    template <class F>
    void with_every_kernel(F&& f) {
        on_factors<T>([&](const char* name, const IncompleteFactor<T>& l) {
            for (const auto& kernel : triangular::triangular_kernels<T>()) {
                SCOPED_TRACE(std::string(name) + " " + std::string(kernel.name));
                f(kernel, l);
                if (this->HasFatalFailure()) return;
            }
        });
    }

    static constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();
};
TYPED_TEST_SUITE(CudaTriangular, EveryType);

TYPED_TEST(CudaTriangular, SolvesWithEveryKernel) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        const DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel);
        EXPECT_EQ(solve.nonzeros(), l.nonzeros());
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const HostVector<T> r = random_vector<T>(l.n, seed);
            const HostVector<T> z = this->solved(solve, r);
            expect_solved(l, column_of(r, l.n, 0, 1), column_of(z, l.n, 0, 1), kernel.expansion);
        }
    });
}

/// Panels of any width one after another, with rows that lie apart.
TYPED_TEST(CudaTriangular, SolvesPanelsColumnByColumn) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel, 8);
        for (const Index k : {3, 8, 1, 2, 33, 64, 5, 20}) {
            solve.reserve(this->backend(), k);
            const Size r_ld = k + 3, z_ld = k + 5;
            const HostVector<T> r = this->panel(l.n, k, r_ld, 5);
            const HostVector<T> z = this->solved(solve, r, k, r_ld, z_ld);
            for (const Index c : {Index{0}, k / 2, k - 1}) {
                SCOPED_TRACE("column " + std::to_string(c) + " of " + std::to_string(k));
                expect_solved(l, column_of(r, l.n, c, r_ld), column_of(z, l.n, c, z_ld), kernel.expansion);
                if (this->HasFatalFailure()) return;
            }
            for (Index i = 0; i < l.n; ++i) {
                for (Size c = k; c < z_ld; ++c) ASSERT_EQ(z[i * z_ld + c], T{77}) << "beside the panel";
            }
        }
    });
}

TYPED_TEST(CudaTriangular, GivesTheSameBitsInEveryRun) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        const DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel, 4);
        const HostVector<T> one = random_vector<T>(l.n, 3), four = random_vector<T>(Size{l.n} * 4, 5);
        const HostVector<T> expected = this->solved(solve, one), of_four = this->solved(solve, four, 4, 4, 4);
        for (int run = 0; run < 10; ++run) {
            this->expect_same_bits(this->solved(solve, one), expected);
            this->expect_same_bits(this->solved(solve, four, 4, 4, 4), of_four);
        }
    });
}

TYPED_TEST(CudaTriangular, IsRecordedInGraphs) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        if (l.n > 5000) return;  // of a kernel a level, graphs would be large
        const DeviceSolve<T> solve(cuda, in_levels(l.columns()), &kernel);
        const HostVector<T> r = random_vector<T>(l.n, 3), expected = this->solved(solve, r);
        const auto r_there = this->to_device(r);
        auto first = this->to_device(HostVector<T>(l.n, T{0})), second = this->to_device(HostVector<T>(l.n, T{0}));
        const CudaGraph graph = capture(cuda, [&] {
            solve.run(cuda, {r_there.data(), l.n, 1, 1}, {first.data(), l.n, 1, 1});
            solve.run(cuda, {r_there.data(), l.n, 1, 1}, {second.data(), l.n, 1, 1});
        });
        for (int run = 0; run < 5; ++run) graph.launch(cuda);
        this->expect_same_bits(this->to_host(first), expected);
        this->expect_same_bits(this->to_host(second), expected);
    });
}

/// What is not a number goes through all that hangs on it, and is forgotten by the next application.
TYPED_TEST(CudaTriangular, EndsWithNan) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        const DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel);
        const HostVector<T> r = random_vector<T>(l.n, 3), expected = this->solved(solve, r);
        for (const T bad : {this->quiet_nan, triangular::not_ready_value<T>, std::numeric_limits<T>::infinity()}) {
            HostVector<T> wrong = r.clone();
            wrong[l.n / 2] = bad;
            EXPECT_FALSE(std::isfinite(this->solved(solve, wrong)[l.n / 2]));
            this->expect_same_bits(this->solved(solve, r), expected);
        }
        const HostVector<T> z = this->solved(solve, HostVector<T>(l.n, triangular::not_ready_value<T>));
        for (const T value : z) ASSERT_TRUE(std::isnan(value));
    });
}

TYPED_TEST(CudaTriangular, TakesNoRowsAndNoMoreColumnsThanReserved) {
    using T = TypeParam;
    const IncompleteFactor<T> none = coupled<T>(0, {}), some = coupled<T>(10, {});
    for (const auto& kernel : triangular::triangular_kernels<T>()) {
        const DeviceSolve<T> empty(this->backend(), in_levels(none.columns()), &kernel);
        EXPECT_EQ(this->solved(empty, HostVector<T>(0)).size(), 0);
        const DeviceSolve<T> solve(this->backend(), in_levels(some.columns()), &kernel, 2);
        EXPECT_NE(refusal([&] { this->solved(solve, HostVector<T>(30), 3, 3, 3); }).find("more columns"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace stiefel::test
