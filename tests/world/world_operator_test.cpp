// Ranks that are threads of this process: 1 to 4 of them, some without rows.
#include "support/backends.hpp"
#include "support/thread_ranks.hpp"
#include "support/world_ends.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class WorldOperatorTest : public ::testing::Test {
public:
    using B = typename Case::backend;
    using T = typename Case::type;

    static void for_ranks(void (*body)(Ranks&)) {
        for (const int n : {1, 2, 3, 4}) in_threads(n, body);
    }
};
TYPED_TEST_SUITE(WorldOperatorTest, EveryBackendAndType);

TYPED_TEST(WorldOperatorTest, ProductsAreThoseOfTheWhole) {
    this->for_ranks(products_are_those_of_the_whole<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(WorldOperatorTest, CgSolvesItInAllAlike) {
    this->for_ranks(cg_solves_it_in_all_alike<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(WorldOperatorTest, BlockCgSolvesItInAllAlike) {
    this->for_ranks(block_cg_solves_it_in_all_alike<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(WorldOperatorTest, EigenpairsAreThoseOfTheWhole) {
    this->for_ranks(eigenpairs_are_those_of_the_whole<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(WorldOperatorTest, OneThatWantsToEndEndsAll) {
    this->for_ranks(one_that_wants_to_end_ends_all<typename TestFixture::B>);
}

TYPED_TEST(WorldOperatorTest, EndsOfCgAreTheSameInAll) {
    this->for_ranks(ends_of_cg_are_the_same_in_all<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(WorldOperatorTest, EndsOfBlockCgAreTheSameInAll) {
    in_threads(3, ends_of_block_cg_are_the_same_in_all<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(WorldOperatorTest, OneWhoseTimeIsUpEndsAll) {
    this->for_ranks([](Ranks& ranks) { one_whose_time_is_up_ends_all<typename TestFixture::B>(ranks, 0); });
}

}  // namespace
}  // namespace stiefel::test
