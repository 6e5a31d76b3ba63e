// Multigrid across ranks that are threads of this process: 1 to 4 of them.
#include "support/backends.hpp"
#include "support/thread_ranks.hpp"
#include "support/world_amg_suite.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class RankAmgTest : public ::testing::Test {
public:
    using B = typename Case::backend;
    using T = typename Case::type;

    static void for_ranks(void (*body)(Ranks&)) {
        for (const int n : {1, 2, 4}) in_threads(n, body);
    }
};
TYPED_TEST_SUITE(RankAmgTest, EveryBackendAndType);

TYPED_TEST(RankAmgTest, TakesHardlyMoreIterationsThanInOneProcess) {
    this->for_ranks(amg_takes_hardly_more_iterations<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(RankAmgTest, IsSymmetricAndPositiveForAnyRowsOfAnyRanks) {
    this->for_ranks(amg_is_symmetric_and_positive<typename TestFixture::B, typename TestFixture::T>);
}

TYPED_TEST(RankAmgTest, OfFewRowsIsThatOfOneProcess) {
    this->for_ranks(amg_of_few_rows_is_that_of_one_process<typename TestFixture::B>);
}

TYPED_TEST(RankAmgTest, RefusesWhatIsWrongInOneRankInAll) {
    this->for_ranks(amg_refuses_in_all_ranks<typename TestFixture::B>);
}

}  // namespace
}  // namespace stiefel::test
