// Pipes. (Terminals and signals: signals_test.cpp)

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;

TEST(Pipes, AReaderThatGoesAwayCostsNothing) {
    Folder folder;
    folder.write("a.mtx", poisson_text(50));
    const Finished run = folder.run({"solve", "a.mtx", "-o", "x.mtx", "--history", "h.csv"}, {.close_out = true});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_TRUE(folder.has("x.mtx"));
    EXPECT_TRUE(folder.has("h.csv"));
}

TEST(Pipes, FiltersEndQuietlyLikeOthers) {
    Folder folder;
    const Finished run = folder.run({"generate", "poisson2d", "300", "-o", "-"}, {.close_out = true});
    EXPECT_EQ(run.signal, SIGPIPE);
    EXPECT_EQ(run.err, "");
}

TEST(Pipes, GenerateFeedsSolve) {
    Folder folder;
    const Finished made = folder.run({"generate", "poisson2d", "20", "-o", "-"});
    ASSERT_EQ(made.exit_code, 0);
    const Finished solved = folder.run({"solve", "-", "--json", "-"}, {.input = made.out});
    EXPECT_EQ(solved.exit_code, 0) << solved.err;
    EXPECT_EQ(Json::parse(solved.out)["matrix"]["n_rows"], 400);
}

}  // namespace
}  // namespace stiefel::test
