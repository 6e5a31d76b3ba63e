// Terminals, signals and pipes.

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;

/// A solve that takes far longer than any test: CG on 1-D Poisson needs about n iterations, and this tolerance and
/// precision cannot be met before.
class LongSolve : public ::testing::Test {
protected:
    LongSolve() {
        const Finished made = folder.run({"generate", "poisson1d", "1000000", "-o", "a.mtx", "--quiet"});
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }
    Folder folder;
};

TEST_F(LongSolve, ProgressBarOnATerminalAndCtrlC) {
    bool sent = false;
    const Finished run = folder.run(
        {"solve", "a.mtx", "-o", "x.mtx", "--json", "j.json", "--history", "h.csv", "--report", "r.html"},
        {.err_is_terminal = true, .terminal_columns = 90, .on_err = [&](const std::string& err, int pid) {
             const bool is_solving = err.find("residual") != std::string::npos && err.find("eta") != std::string::npos;
             if (is_solving && !sent) sent = kill(pid, SIGINT) == 0;
         }});
    ASSERT_TRUE(sent) << "no progress bar was seen: " << run.err;
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.out.find("interrupted after"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("--guess x.mtx"), std::string::npos) << run.out;
    EXPECT_TRUE(run.err.ends_with("\r\x1b[K")) << "the bar is wiped away";

    const Json report = Json::parse(folder.read("j.json"));
    EXPECT_EQ(report["result"]["reason"], "interrupted");
    const std::vector<double> b(1000000, 1.0);
    const TrueResidual residual = true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), b);
    const double reported = report["result"]["relative_residual"];
    EXPECT_TRUE(std::abs(reported - residual.relative) <= residual.rounding + 1e-9 * reported) << reported;
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.mtx", "h.csv", "j.json", "r.html", "x.mtx"}));
}

TEST_F(LongSolve, NoProgressBarWithoutATerminalAndNoneWhenQuiet) {
    const auto stop_soon = [tick = 0](int pid) mutable {
        if (++tick == 200) kill(pid, SIGINT);  // after about a second
    };
    const Finished piped = folder.run({"solve", "a.mtx"}, {.on_tick = stop_soon});
    EXPECT_EQ(piped.exit_code, 3);
    EXPECT_EQ(piped.err, "");
    const Finished quiet = folder.run({"solve", "a.mtx", "--quiet"}, {.err_is_terminal = true, .on_tick = stop_soon});
    EXPECT_EQ(quiet.exit_code, 3);
    EXPECT_EQ(quiet.out, "");
    EXPECT_EQ(quiet.err.find('\x1b'), std::string::npos) << quiet.err;
    EXPECT_NE(quiet.err.find("interrupted"), std::string::npos) << "why it failed is said even so";
}

TEST_F(LongSolve, TerminationIsAnInterruptToo) {
    const auto stop_soon = [tick = 0](int pid) mutable {
        if (++tick == 200) kill(pid, SIGTERM);
    };
    const Finished run = folder.run({"solve", "a.mtx", "-o", "x.mtx"}, {.on_tick = stop_soon});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_TRUE(folder.has("x.mtx"));
}

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
