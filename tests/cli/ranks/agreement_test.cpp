// Ranks that are not the same program, or are not asked for the same, as threads of this process.
#include "stiefel/cli/ranks/agreement.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/version.hpp"
#include "support/thread_ranks.hpp"

#include <array>
#include <string>

namespace stiefel::test {
namespace {

/// What each of three ranks says, where rank 1 differs so.
std::array<std::string, 3> said(const std::string& other_program, const char* other_word) {
    std::array<std::string, 3> messages;
    in_threads(3, [&](Ranks& ranks) {
        const bool differs = ranks.rank() == 1;
        const std::array<const char*, 3> words{"stiefel", "solve", differs ? other_word : "a b.mtx"};
        try {
            cli::check_all_alike(ranks, differs ? other_program : cli::this_program(), 3, words.data());
        } catch (const cli::RankFault& problem) {
            EXPECT_EQ(problem.code(), cli::ExitCode::wrong_use);
            messages[static_cast<std::size_t>(ranks.rank())] = problem.what();
        }
    });
    return messages;
}

TEST(RankAgreement, OtherVersionsAndWordsAreToldInAllRanks) {
    const std::string here = cli::this_program();
    EXPECT_EQ(here.find(std::string("stiefel ") + cli::version), 0u) << here;
    for (const std::string& message : said(here, "a b.mtx")) EXPECT_EQ(message, "");
    const std::string other = "stiefel 0.0.1 of abcdef, GNU 12.2.0";
    for (const std::string& message : said(other, "a b.mtx"))
        EXPECT_EQ(message, "the ranks are to be of the same program: rank 0 is '" + here + "', rank 1 '" + other + "'");
    for (const std::string& message : said(here, "c.mtx")) {
        EXPECT_EQ(message,
                  "the ranks are to be asked for the same: rank 0 is 'stiefel solve 'a b.mtx'', rank 1 "
                  "'stiefel solve c.mtx'");
    }
}

}  // namespace
}  // namespace stiefel::test
