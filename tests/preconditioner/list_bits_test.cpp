#include "support/backends.hpp"
#include "support/listed_bits.hpp"

namespace stiefel::test {
namespace {

template <class T>
class PreconditionerBits : public ::testing::Test {};
TYPED_TEST_SUITE(PreconditionerBits, EveryType);

TYPED_TEST(PreconditionerBits, AreTheSameInEveryRun) {
    std::vector<Serial> backends(1);
    expect_same_bits_of_every_one<Serial, TypeParam>(backends);
}

TYPED_TEST(PreconditionerBits, AreTheSameOnAnyNumberOfThreads) {
    std::vector<OpenMP> backends;
    for (const int threads : {1, 2, 3}) backends.emplace_back(threads);
    expect_same_bits_of_every_one<OpenMP, TypeParam>(backends);
}

}  // namespace
}  // namespace stiefel::test
