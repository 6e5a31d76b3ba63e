// Multigrid across ranks that are threads of this process: 1 to 4 of them.
#include "support/backends.hpp"
#include "support/thread_ranks.hpp"
#include "support/world_amg_suite.hpp"

#include <utility>
#include <vector>

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

TYPED_TEST(RankAmgTest, RigidBodyModesAreThoseOfTheWholeBody) {
    this->for_ranks(amg_turns_the_whole_body<typename TestFixture::B, typename TestFixture::T>);
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

/// Within a plane pairs end at the seam.
TEST(RankAmg, WithinPlanesTakesHardlyMoreIterationsThanInOneProcess) {
    OpenMP host(1);
    const auto a = poisson3d<double>(host, 24, 22, 20);
    const HostVector<double> b = random_vector<double>(a.n_rows, 6);
    const auto alone = static_cast<double>(iterations_alone(a, b, 1e-8, true));
    for (const int n : {2, 4}) {
        SCOPED_TRACE(n);
        in_threads(n, [&](Ranks& ranks) {
            const RowBlocks blocks = even_blocks(a.n_rows, ranks.size());
            const Size here = iterations_on_ranks<OpenMP, double>(ranks, a, b, blocks, 1e-8);
            EXPECT_LE(static_cast<double>(here), 1 + 1.15 * alone);
        });
    }
}

/// Ranks that begin at planes of a grid make the pairs that one process makes, also where its sides are odd.
TEST(RankAmg, AtPlanesOfOddGridsTakesNoMoreIterationsThanInOneProcess) {
    OpenMP host(1);
    constexpr double rtol = 1e-8;
    std::vector<std::pair<HostCsr<double>, Size>> grids;
    grids.emplace_back(poisson3d<double>(host, 25, 25, 25), 625);
    grids.emplace_back(poisson3d<double>(host, 17, 19, 33), 323);
    grids.emplace_back(poisson2d<double>(host, 101, 103), 101);
    for (const auto& [a, plane] : grids) {
        const HostVector<double> b = random_vector<double>(a.n_rows, 6);
        const Size alone = iterations_alone(a, b, rtol, true);
        for (const int n : {2, 3, 4}) {
            SCOPED_TRACE(n);
            in_threads(n, [&a = a, &plane = plane, &b, alone](Ranks& ranks) {
                const RowBlocks blocks = at_planes(RowBlocks::even(a.n_rows, ranks.size()), plane);
                EXPECT_EQ(blocks.first(1) % (2 * plane), 0);
                EXPECT_LE((iterations_on_ranks<OpenMP, double>(ranks, a, b, blocks, rtol)), alone + 1);
            });
        }
    }
}

}  // namespace
}  // namespace stiefel::test
