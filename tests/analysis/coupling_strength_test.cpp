#include "analysis/coupling_strength_checks.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CouplingStrengths : public ::testing::Test {};
using TypesOfCouplings = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CouplingStrengths, TypesOfCouplings);

TYPED_TEST(CouplingStrengths, AreThoseOfExtendedPrecision) {
    using T = TypeParam;
    check_couplings_of_all_kinds<T>([](const HostCsr<T>& a) { return coupling_strength(a, 2); });
    check_couplings_that_are_known<T>([](const HostCsr<T>& a) { return coupling_strength(a, 2); });
}

TYPED_TEST(CouplingStrengths, AreTheSameWithAnyNumberOfThreads) {
    OpenMP host(2);
    const auto a = random_spd<TypeParam>(host, 20000);
    const CouplingStrength by_one = coupling_strength(a, 1);
    for (const int threads : {2, 3, 7}) {
        const CouplingStrength found = coupling_strength(a, threads);
        EXPECT_EQ(found.strongest, by_one.strongest);
        EXPECT_EQ(found.mean_strongest, by_one.mean_strongest);
        EXPECT_EQ(found.quotient_of_ones, by_one.quotient_of_ones);
    }
}

}  // namespace
}  // namespace stiefel::test
