#include "support/backends.hpp"
#include "support/dense_cycle_suite.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class AmgDenseCycle : public ::testing::Test {
protected:
    typename Case::backend backend;
};
TYPED_TEST_SUITE(AmgDenseCycle, EveryBackendAndType);

TYPED_TEST(AmgDenseCycle, IsThatOfEveryPart) {
    using Suite = DenseCycleSuite<typename TypeParam::backend, typename TypeParam::type>;
    Suite(this->backend).every_cycle_is_that_of_dense_matrices();
}

}  // namespace
}  // namespace stiefel::test
