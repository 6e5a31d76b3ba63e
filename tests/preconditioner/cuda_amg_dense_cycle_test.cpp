#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/dense_cycle_suite.hpp"

namespace stiefel::test {
namespace {

template <class S>
class CudaAmgDenseCycle : public OnCuda {};
TYPED_TEST_SUITE(CudaAmgDenseCycle, EveryType);

TYPED_TEST(CudaAmgDenseCycle, IsThatOfEveryPart) {
    DenseCycleSuite<Cuda, TypeParam>(this->backend()).every_cycle_is_that_of_dense_matrices();
}

}  // namespace
}  // namespace stiefel::test
