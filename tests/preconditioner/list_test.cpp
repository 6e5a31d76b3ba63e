#include "support/backends.hpp"
#include "support/preconditioner_suite.hpp"

#include "stiefel/dense/vector_operations.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class Preconditioners : public ::testing::Test {
protected:
    typename Case::backend backend;
    PreconditionerSuite<typename Case::backend, typename Case::type> suite{backend};
};
TYPED_TEST_SUITE(Preconditioners, EveryBackendAndType);

TYPED_TEST(Preconditioners, AreSymmetricAndPositive) {
    this->suite.every_one_is_symmetric_and_positive();
}

TYPED_TEST(Preconditioners, TakePanelsColumnByColumn) {
    this->suite.panels_are_columns();
}

TYPED_TEST(Preconditioners, MultigridOfAnyPartsIsSymmetricAndPositive) {
    this->suite.every_multigrid_is_symmetric_and_positive();
}

TYPED_TEST(Preconditioners, ChebyshevIsItsPolynomial) {
    this->suite.chebyshev_is_its_polynomial();
}

TEST(PreconditionerList, SaysWhatEachIs) {
    for (const auto& entry : preconditioners<Serial, double>) {
        EXPECT_FALSE(entry.name.empty());
        EXPECT_FALSE(entry.description.empty()) << entry.name;
        EXPECT_FALSE(entry.source.empty()) << entry.name;
    }
    const auto& first = preconditioners<Serial, double>.front();
    EXPECT_EQ(first.name, "none");
}

/// The spectrum reaches beyond what the polynomial was told of: it is positive all the same.
TEST(ScaledChebyshev, IsPositiveBeyondItsBound) {
    OpenMP maker(1);
    Serial backend;
    const HostCsr<double> a = poisson1d<double>(maker, 40);
    for (const double upper : {1.9, 1.0, 0.1}) {
        const ScaledChebyshev<Serial, double, HostCsr<double>> m(backend, a, make_jacobi(backend, a), upper, 1, 4);
        const HostVector<double> r = random_vector<double>(40, 1);
        HostVector<double> z(40);
        precondition_vector(backend, m, r, z);
        EXPECT_GT(dot(backend, r, z), 0) << upper;
    }
}

}  // namespace
}  // namespace stiefel::test
