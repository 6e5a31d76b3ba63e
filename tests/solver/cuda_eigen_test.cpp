#include "stiefel/spmv/device_formats.hpp"
#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/eigen_preconditioners.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaEigen : public OnCuda {};
TYPED_TEST_SUITE(CudaEigen, EveryType);

TYPED_TEST(CudaEigen, BothEndsOfDefiniteAndIndefiniteMatrices) {
    check_poisson_pairs<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, AllSizesAndWidths) {
    check_sizes<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, MatricesWithNothingToIterate) {
    check_degenerate_matrices<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, MatricesWhoseSquaresLeaveTheRangeOfNumbers) {
    check_far_matrices<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, PlainMethodsFindTheEndsThatTheyAreAskedFor) {
    check_plain_methods<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, StartBlocksOfLowRankAreCompleted) {
    check_start_blocks<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, NamesTheReasonsToStop) {
    check_reasons<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, EveryListedPreconditionerFindsThePairs) {
    check_listed_preconditioners<TypeParam>(this->backend());
}

TYPED_TEST(CudaEigen, RunsRepeatBitForBit) {
    check_determinism<TypeParam>(this->backend());
}

}  // namespace
}  // namespace stiefel::test
