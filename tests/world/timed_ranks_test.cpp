#include "stiefel/world/timed_ranks.hpp"

#include "support/thread_ranks.hpp"

namespace stiefel::test {
namespace {

TEST(TimedRanks, CountWhatIsSaidButForWhatIsNotToBe) {
    in_threads(2, [](Ranks& ranks) {
        TimedRanks timed(ranks);
        const auto talk = [&] {
            double sum = 1;
            timed.all_sum(&sum, 1);
            std::byte out{1}, in{0};
            const Ranks::Part to{1 - timed.rank(), &out, 1}, from{1 - timed.rank(), &in, 1};
            timed.begin({&to, 1}, {&from, 1});
            timed.end();
        };
        talk();
        const TimedRanks::Spent once = timed.spent();
        EXPECT_GT(once.sums, 0);
        EXPECT_GT(once.halo, 0);
        EXPECT_EQ(once.sent, 1);
        {
            const TimedRanks::Uncounted other(timed);
            talk();
        }
        EXPECT_EQ(timed.spent().sums, once.sums);
        EXPECT_EQ(timed.spent().halo, once.halo);
        EXPECT_EQ(timed.spent().sent, 1);
        talk();
        EXPECT_EQ(timed.spent().sent, 2);
        EXPECT_GT(timed.spent().sums, once.sums);
    });
}

}  // namespace
}  // namespace stiefel::test
