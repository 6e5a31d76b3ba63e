#include "stiefel/dense/small/symmetric_eigen.hpp"

#include "support/backends.hpp"
#include "support/csr_checks.hpp"
#include "support/small_eigenproblems.hpp"

namespace stiefel::test {
namespace {

template <class B>
class SymmetricEigen : public ::testing::Test {
protected:
    B backend;
};
using HostBackends = ::testing::Types<Serial, OpenMP>;
TYPED_TEST_SUITE(SymmetricEigen, HostBackends);

TYPED_TEST(SymmetricEigen, DecomposesToRoundingError) {
    for (const Index n : {0, 1, 2, 3, 8, 24, 31, 32, 33, 96, 192}) {
        for (const SmallMatrix& a : small_eigenproblems(n)) {
            HostVector<double> values(n), vectors(Size{n} * n);
            symmetric_eigen(this->backend, as_matrix(a.values, n, n), values, as_matrix(vectors, n, n));
            ASSERT_TRUE(is_eigen_decomposition(a, values, vectors));
        }
    }
}

TYPED_TEST(SymmetricEigen, FindsEigenvaluesKnownInClosedForm) {
    const Index n = 50;
    const SmallMatrix a("tridiagonal", n, [](Index i, Index j) { return i == j ? 2.0 : i == j + 1 ? -1.0 : 0.0; });
    HostVector<double> values(n), vectors(Size{n} * n);
    symmetric_eigen(this->backend, as_matrix(a.values, n, n), values, as_matrix(vectors, n, n));
    for (Index k = 0; k < n; ++k) {
        const double exact = 2 - 2 * std::cos(M_PI * (k + 1) / (n + 1));
        EXPECT_TRUE(std::abs(values[k] - exact) <= 4 * n * std::numeric_limits<double>::epsilon()) << k;
    }
}

TYPED_TEST(SymmetricEigen, WorksInPlaceAndInPaddedRows) {
    const Index n = 9, ld = 13;
    const SmallMatrix a("random", n, [](Index i, Index j) { return RandomRow(5, i).uniform(j); });
    HostVector<double> padded(n * ld, -7.0), values(n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) padded[i * ld + j] = a(i, j);
    }
    symmetric_eigen(this->backend, HostMatrix<double>{padded.data(), n, n, ld}, values,
                    HostMatrix<double>{padded.data(), n, n, ld});
    HostVector<double> vectors(n * n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) vectors[i * n + j] = padded[i * ld + j];
        for (Index j = n; j < ld; ++j) EXPECT_EQ(padded[i * ld + j], -7.0);
    }
    EXPECT_TRUE(is_eigen_decomposition(a, values, vectors));
}

TYPED_TEST(SymmetricEigen, EndsOnNaNAndInfinity) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        for (const Index n : {1, 2, 33, 192}) {
            const SmallMatrix a("not finite", n,
                                [&](Index i, Index j) { return i == n - 1 && j == n / 2 ? bad : 1.0; });
            HostVector<double> values(n, 0.0), vectors(Size{n} * n, 0.0);
            symmetric_eigen(this->backend, as_matrix(a.values, n, n), values, as_matrix(vectors, n, n));
            for (const double value : values) EXPECT_TRUE(std::isnan(value));
            for (const double element : vectors) EXPECT_TRUE(std::isnan(element));
        }
    }
}

TYPED_TEST(SymmetricEigen, RefusesWhatDoesNotFit) {
    HostVector<double> a(200 * 200, 0.0), v(200 * 200), values(200);
    const auto refused = [&](Index rows, Index cols, Size n_values, Index v_rows) {
        return refusal([&] {
            HostVector<double> some(n_values);
            symmetric_eigen(this->backend, as_matrix(a, rows, cols), some, as_matrix(v, v_rows, v_rows));
        });
    };
    EXPECT_EQ(refused(3, 4, 3, 3), "symmetric_eigen: A must be square");
    EXPECT_EQ(refused(193, 193, 193, 193), "symmetric_eigen: A must have at most 192 rows");
    EXPECT_EQ(refused(3, 3, 3, 4), "symmetric_eigen: V must be as large as A");
    EXPECT_EQ(refused(3, 3, 2, 3), "symmetric_eigen: values must have as many elements as A has rows");
}

}  // namespace
}  // namespace stiefel::test
