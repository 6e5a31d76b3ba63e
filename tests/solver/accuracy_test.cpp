#include "support/accuracy_suite.hpp"
#include "support/backends.hpp"
#include "support/preconditioned_cg_suite.hpp"

#include "stiefel/solver/block_cg.hpp"
#include "stiefel/spmv/spmm.hpp"

namespace stiefel::test {
namespace {

/// An operator whose fused product is not its product: CG's recurrence runs on A, the true residual is b - 2 A x, so
/// that every restart begins where the last one did.
template <class T>
struct TwoProducts {
    const HostCsr<T>& a;
};
template <class B, class T>
void spmv(B& backend, const TwoProducts<T>& both, const HostVector<T>& x, HostVector<T>& y, T alpha, T beta) {
    spmv(backend, both.a, x, y, 2 * alpha, beta);
}
template <class B, class T>
void spmv_dot(B& backend, const TwoProducts<T>& both, const HostVector<T>& x, HostVector<T>& y, double* curvature) {
    spmv_dot(backend, both.a, x, y, curvature);
}

template <class Case>
class AccuracyOf : public ::testing::Test {
protected:
    using Scalar = typename Case::type;
    using Backend = typename Case::backend;

    auto solver() {
        return [this](const HostCsr<Scalar>& a, const HostVector<Scalar>& inverse_diagonal, const HostVector<Scalar>& b,
                      HostVector<Scalar>& x, const CgOptions& options) {
            if (inverse_diagonal.empty()) return cg(backend, a, b, x, options);
            return cg(backend, a, HostJacobi<Scalar>{inverse_diagonal.clone()}, b, x, options);
        };
    }
    /// The same with an M that nobody knows to be pointwise.
    auto general_solver() {
        return [this](const HostCsr<Scalar>& a, const HostVector<Scalar>& inverse_diagonal, const HostVector<Scalar>& b,
                      HostVector<Scalar>& x, const CgOptions& options) {
            return cg(backend, a, general(a.n_rows, inverse_diagonal), b, x, options);
        };
    }

    auto block_solver() {
        return [this](const HostCsr<Scalar>& a, const HostVector<Scalar>& inverse_diagonal,
                      const HostMultivector<Scalar>& b, HostMultivector<Scalar>& x, const CgOptions& options) {
            if (inverse_diagonal.empty()) return block_cg(backend, a, b, x, options);
            return block_cg(backend, a, HostJacobi<Scalar>{inverse_diagonal.clone()}, b, x, options);
        };
    }
    auto general_block_solver() {
        return [this](const HostCsr<Scalar>& a, const HostVector<Scalar>& inverse_diagonal,
                      const HostMultivector<Scalar>& b, HostMultivector<Scalar>& x, const CgOptions& options) {
            return block_cg(backend, a, general(a.n_rows, inverse_diagonal), b, x, options);
        };
    }

    Backend backend;
    OpenMP maker{1};

private:
    static Opaque<Backend, Scalar> general(Index n, const HostVector<Scalar>& inverse_diagonal) {
        return {{inverse_diagonal.empty() ? HostVector<Scalar>(n, Scalar{1}) : inverse_diagonal.clone()}};
    }
};
TYPED_TEST_SUITE(AccuracyOf, EveryBackendAndType);

TYPED_TEST(AccuracyOf, TheConditionIsThatOfMA) {
    check_condition<typename TypeParam::type>(this->solver());
    check_condition<typename TypeParam::type>(this->general_solver());
}

TYPED_TEST(AccuracyOf, TheConditionOfBlocksIsThatOfMA) {
    check_block_condition<typename TypeParam::type>(this->block_solver());
    check_block_condition<typename TypeParam::type>(this->general_block_solver());
}

TYPED_TEST(AccuracyOf, NoConditionIsToldWhereThereIsNone) {
    check_no_condition<typename TypeParam::type>(this->solver());
    check_no_condition<typename TypeParam::type>(this->general_solver());
    check_no_block_condition<typename TypeParam::type>(this->block_solver());
    check_no_block_condition<typename TypeParam::type>(this->general_block_solver());
}

TYPED_TEST(AccuracyOf, TheBackwardErrorIsRightForAllSizes) {
    check_backward_error<typename TypeParam::type>(this->solver());
}

TYPED_TEST(AccuracyOf, WhatThePrecisionAllowsIsCalledSo) {
    check_attained<typename TypeParam::type>(this->solver());
    check_attained<typename TypeParam::type>(this->general_solver());
}

TYPED_TEST(AccuracyOf, WhatASingularMatrixLeavesIsNotCalledSo) {
    check_not_attained<typename TypeParam::type>(this->solver());
}

TYPED_TEST(AccuracyOf, AResidualThatRoundingDoesNotExplainIsStuck) {
    using T = typename TypeParam::type;
    const HostCsr<T> a = poisson1d<T>(this->maker, 50);
    const HostVector<T> b = random_vector<T>(50, 3);
    for (const double norm : {0.0, 8.0}) {
        HostVector<T> x(50, T{0});
        const SolveResult result = cg(this->backend, TwoProducts<T>{a}, b, x, {.rtol = 1e-4, .matrix_norm = norm});
        EXPECT_EQ(to_string(result.reason), "stagnated");
        EXPECT_EQ(to_string(result.evidence), "stuck");
        ASSERT_TRUE(result.accuracy.has_value());
        EXPECT_GT(result.accuracy->backward_error, 1e-3);
        EXPECT_TRUE(result.accuracy->matrix_norm <= 8 && result.accuracy->matrix_norm >= 2);
    }
}

/// Columns of a block are judged one by one, b of any size among them.
TYPED_TEST(AccuracyOf, ColumnsOfABlockHaveTheirOwn) {
    using T = typename TypeParam::type;
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    constexpr bool wide = std::is_same_v<T, double>;
    const Index n = 60;
    for (const double size : wide ? std::vector{1.0, 1e-250, 1e250} : std::vector{1.0, 1e-25, 1e25}) {
        HostCsr<T> a = poisson1d<T>(this->maker, n);
        for (T& value : a.values) value = static_cast<T>(value * size);
        const double norm = infinity_norm(this->maker, a);
        HostMultivector<T> b(random_vector<T>(Size{n} * 3, 8), n, 3), x(HostVector<T>(Size{n} * 3, T{0}), n, 3);
        for (Index i = 0; i < n; ++i) {
            b.values()[Size{i} * 3] *= static_cast<T>(size);
            b.values()[Size{i} * 3 + 1] *= static_cast<T>(size * (wide ? 1e30 : 1e3));
            b.values()[Size{i} * 3 + 2] = 0;
        }
        const BlockSolveResult result = block_cg(this->backend, a, b, x, {.rtol = 1e-4, .matrix_norm = norm});
        EXPECT_EQ(result.reason, StopReason::converged);
        for (Index j = 0; j < 3; ++j) {
            SCOPED_TRACE(std::to_string(j) + ", A of " + std::to_string(size));
            HostVector<T> of_b(n), of_x(n);
            for (Index i = 0; i < n; ++i) {
                of_b[i] = b.values()[Size{i} * 3 + j];
                of_x[i] = x.values()[Size{i} * 3 + j];
            }
            const ColumnResult& column = result.columns[static_cast<std::size_t>(j)];
            ASSERT_TRUE(column.accuracy.has_value());
            EXPECT_EQ(column.accuracy->matrix_norm, norm);
            const double expected = j == 2 ? 0 : static_cast<double>(true_backward_error(a, of_b, of_x, norm));
            EXPECT_TRUE(std::abs(column.accuracy->backward_error - expected) <= 1e-3 * expected + 4 * eps)
                << column.accuracy->backward_error << " for " << expected;
        }
    }
}

TYPED_TEST(AccuracyOf, BlocksThatStagnateSayWhy) {
    using T = typename TypeParam::type;
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    const HostCsr<T> a = poisson1d<T>(this->maker, 100);
    const HostMultivector<T> b(random_vector<T>(300, 8), 100, 3);
    for (const double norm : {4.0, 0.0}) {
        HostMultivector<T> x(HostVector<T>(300, T{0}), 100, 3);
        const BlockSolveResult result = block_cg(this->backend, a, b, x, {.rtol = eps / 16, .matrix_norm = norm});
        EXPECT_EQ(to_string(result.reason), "stagnated");
        for (const ColumnResult& column : result.columns) {
            EXPECT_EQ(to_string(column.evidence), "rounding");
            ASSERT_TRUE(column.accuracy.has_value());
            EXPECT_TRUE(column.accuracy->backward_error <= 4 * eps) << column.accuracy->backward_error;
            EXPECT_TRUE(column.accuracy->matrix_norm >= 2 && column.accuracy->matrix_norm <= 8);
        }
    }
}

TEST(Accuracy, OfNormsThatAreFarFromOne) {
    for (const double size : {1e-300, 1.0, 1e300}) {
        const Accuracy one = accuracy_of(3 * size, 2 / size, 1e-3, 1, 1e-16);
        EXPECT_DOUBLE_EQ(one.backward_error, 1e-3 / 7);
        EXPECT_DOUBLE_EQ(one.attainable_residual, 6e-16);
        EXPECT_DOUBLE_EQ(accuracy_of(3 * size, 2, 1e-3, size, 1e-16).backward_error, 1e-3 / 7);
        EXPECT_EQ(accuracy_of(size, 1, 1e-3, size, 1e-16).matrix_norm, size);
    }
    EXPECT_TRUE(std::isnan(accuracy_of(1e300, 1e300, 1, 1, 1e-16).backward_error)) << "beyond the range";
    EXPECT_TRUE(std::isnan(accuracy_of(1, std::nan(""), 1, 1, 1e-16).backward_error));
}

TEST(Accuracy, ANormThatIsNoNumberIsRefused) {
    Serial backend;
    const HostCsr<double> a = diagonal_matrix<double>({1, 2});
    const HostVector<double> b{1, 1};
    HostVector<double> x{0, 0};
    EXPECT_THROW(cg(backend, a, b, x, {.matrix_norm = -1}), InvalidArgument);
    EXPECT_THROW(cg(backend, a, b, x, {.matrix_norm = std::nan("")}), InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
