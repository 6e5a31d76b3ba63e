#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/listed_bits.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaPreconditionerBits : public OnCuda {};
TYPED_TEST_SUITE(CudaPreconditionerBits, EveryType);

/// With streams of their own.
TYPED_TEST(CudaPreconditionerBits, AreTheSameInEveryRun) {
    std::vector<Cuda> backends(2);
    expect_same_bits_of_every_one<Cuda, TypeParam>(backends);
}

}  // namespace
}  // namespace stiefel::test
