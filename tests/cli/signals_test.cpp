// The progress bar, and signals that ask the program to end.

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace stiefel::test {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// A solve that takes far longer than any test: CG on 1-D Poisson needs about n iterations, and this tolerance cannot
/// be met before. (A device takes half a second.)
class LongSolve : public ::testing::Test {
protected:
    static constexpr int n = 100000;

    LongSolve() { folder.write("a.mtx", poisson_text(n)); }

    /// Calls act(pid) once, when the program begins to solve.
    static Running when_solving(std::function<void(int pid)> act) {
        return {.on_tick = [act = std::move(act), done = false](int pid) mutable {
            if (done || !catches(pid, SIGTERM)) return;
            done = true;
            act(pid);
        }};
    }
    static Running signalled(int signal) {
        return when_solving([signal](int pid) { kill(pid, signal); });
    }

    /// `solve a.mtx` without a search for the fastest kernel, with all outputs that it has.
    Finished solve(Words words, const Running& how) {
        words.insert(words.begin(), {"solve", "a.mtx", "--preconditioner", "none", "--format", "csr", "-o", "x.mtx",
                                     "--json", "j.json"});
        return folder.run(words, how);
    }
    Json report() { return Json::parse(folder.read("j.json")); }

    /// How the columns ended, and how many of them have a residual.
    void expect_columns(const Json& report, std::size_t n_columns, const std::string& reason, std::size_t n_begun) {
        ASSERT_EQ(report["columns"].size(), n_columns);
        for (std::size_t j = 0; j < n_columns; ++j) {
            const Json& column = report["columns"][j];
            EXPECT_EQ(column["reason"], reason) << j;
            for (const char* figure : {"relative_residual", "recurrence_residual", "rhs_norm"}) {
                EXPECT_EQ(column[figure].is_null(), j >= n_begun) << j << " " << figure;
            }
        }
    }

    Folder folder;
};

TEST_F(LongSolve, ProgressBarOnATerminalAndCtrlC) {
    bool sent = false;
    const Finished run =
        folder.run({"solve", "a.mtx", "--preconditioner", "none", "--backend", "openmp", "-o", "x.mtx", "--json",
                    "j.json", "--history", "h.csv", "--report", "r.html"},
                   {.err_is_terminal = true, .terminal_columns = 90, .on_err = [&](const std::string& err, int pid) {
                        const bool is_solving =
                            err.find("iteration") != std::string::npos && err.find("best") != std::string::npos;
                        if (is_solving && !sent) sent = kill(pid, SIGINT) == 0;
                    }});
    ASSERT_TRUE(sent) << "no progress bar was seen: " << run.err;
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.out.find("interrupted after"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("--guess x.mtx"), std::string::npos) << run.out;
    EXPECT_TRUE(run.err.ends_with("\r\x1b[K")) << "the bar is wiped away";

    const Json told = report();
    EXPECT_EQ(told["result"]["reason"], "interrupted");
    const std::vector<double> b(n, 1.0);
    const TrueResidual residual = true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), b);
    const double reported = told["result"]["relative_residual"];
    EXPECT_TRUE(std::abs(reported - residual.relative) <= residual.rounding + 1e-9 * reported) << reported;
    EXPECT_EQ(folder.names(), (Words{"a.mtx", "h.csv", "j.json", "r.html", "x.mtx"}));
}

TEST_F(LongSolve, NoProgressBarWithoutATerminalAndNoneWhenQuiet) {
    const Finished piped = folder.run({"solve", "a.mtx", "--preconditioner", "none"}, signalled(SIGINT));
    EXPECT_EQ(piped.exit_code, 3);
    EXPECT_EQ(piped.err, "");
    Running on_terminal = signalled(SIGINT);
    on_terminal.err_is_terminal = true;
    const Finished quiet = folder.run({"solve", "a.mtx", "--preconditioner", "none", "--quiet"}, on_terminal);
    EXPECT_EQ(quiet.exit_code, 3);
    EXPECT_EQ(quiet.out, "");
    EXPECT_EQ(quiet.err.find('\x1b'), std::string::npos) << quiet.err;
    EXPECT_NE(quiet.err.find("interrupted"), std::string::npos) << "why it failed is said even so";
}

TEST_F(LongSolve, EverySignalThatAsksToEndIsAnInterrupt) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
        const Finished run = solve({}, signalled(signal));
        EXPECT_EQ(run.exit_code, 3) << strsignal(signal);
        EXPECT_EQ(report()["result"]["reason"], "interrupted");
        EXPECT_EQ(read_numbers(folder / "x.mtx").size(), static_cast<std::size_t>(n));
    }
}

TEST_F(LongSolve, ASignalThatIsIgnoredFromTheStartStaysSo) {
    Running how = when_solving([](int pid) {
        kill(pid, SIGHUP);
        EXPECT_FALSE(catches(pid, SIGHUP));
        kill(pid, SIGTERM);
    });
    how.before_start = [] { std::signal(SIGHUP, SIG_IGN); };
    EXPECT_EQ(solve({}, how).exit_code, 3);
}

TEST_F(LongSolve, RepeatsWithinASecondAreOneRequest) {
    for (const int second : {SIGTERM, SIGHUP}) {
        const Finished run = solve({}, when_solving([second](int pid) {
                                       kill(pid, SIGTERM);
                                       kill(pid, second);
                                       kill(pid, SIGTERM);
                                   }));
        EXPECT_EQ(run.exit_code, 3) << run.signal;
        EXPECT_TRUE(folder.has("x.mtx"));
    }
}

TEST_F(LongSolve, ASignalThatComesLaterEndsTheProgramAtOnce) {
    // Nobody reads the pipe, so that writing x to it never begins.
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::optional<Clock::time_point> first;
    bool lived_through_repeat = false;
    const Finished run = folder.run({"solve", "a.mtx", "--preconditioner", "none", "--format", "csr", "-o", "pipe"},
                                    {.on_tick = [&](int pid) {
                                        if (!first && catches(pid, SIGTERM)) {
                                            kill(pid, SIGTERM);
                                            first = Clock::now();
                                        }
                                        const auto since = first ? Clock::now() - *first : Clock::duration{};
                                        if (since > std::chrono::milliseconds(50) && !lived_through_repeat) {
                                            lived_through_repeat = kill(pid, SIGTERM) == 0;
                                        }
                                        if (since > std::chrono::milliseconds(1100)) kill(pid, SIGTERM);
                                    }});
    EXPECT_EQ(run.signal, SIGTERM);
    EXPECT_GT(Clock::now() - *first, std::chrono::milliseconds(1100));
    EXPECT_EQ(folder.names(), (Words{"a.mtx", "pipe"}));
}

/// Whether the program has started, and waits for something.
bool is_waiting(int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string text(std::istreambuf_iterator<char>(status), {});
    return text.starts_with("Name:\tstiefel\n") && text.find("\nState:\tS") != std::string::npos;
}

TEST_F(LongSolve, BeforeThereIsAnythingToLoseASignalEndsTheProgram) {
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);  // nobody writes to it: reading never begins
    bool sent = false;
    const Finished run = folder.run({"solve", "pipe", "-o", "x.mtx"}, {.on_tick = [&](int pid) {
                                        if (sent || !is_waiting(pid)) return;
                                        EXPECT_FALSE(catches(pid, SIGTERM));
                                        sent = kill(pid, SIGTERM) == 0;
                                    }});
    EXPECT_TRUE(sent);
    EXPECT_EQ(run.signal, SIGTERM);
    EXPECT_FALSE(folder.has("x.mtx"));
}

TEST_F(LongSolve, ColumnsThatWereNotBegunSaySo) {
    for (const Words& way : {Words{"--solver", "cg"}, Words{"--solver", "block-cg", "--block", "1"}}) {
        Words words{"--rhs", "random:3"};
        words.insert(words.end(), way.begin(), way.end());
        const Finished run = solve(words, signalled(SIGTERM));
        EXPECT_EQ(run.exit_code, 3);
        EXPECT_NE(run.out.find("1 of 3 columns were begun"), std::string::npos) << run.out;
        expect_columns(report(), 3, "interrupted", 1);
        EXPECT_TRUE(report()["result"]["relative_residual"].is_number());
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        ASSERT_EQ(x.size(), std::size_t{3} * n);
        EXPECT_TRUE(std::all_of(x.begin() + n, x.end(), [](double value) { return value == 0; }));
    }
}

TEST_F(LongSolve, ATimeLimitEndsItWithXWritten) {
    for (const char* limit : {"0", "0.05"}) {
        const Finished run = solve({"--time-limit", limit}, {});
        EXPECT_EQ(run.exit_code, 3) << run.err;
        EXPECT_NE(run.out.find("the time allowed was up after"), std::string::npos) << run.out;
        for (const char* way_out : {"--time-limit 10", "--guess x.mtx"})
            EXPECT_NE(run.out.find(way_out), std::string::npos) << run.out;
        expect_columns(report(), 1, "time_limit", 1);
        EXPECT_EQ(report()["method"]["time_limit"], std::stod(limit));
        EXPECT_TRUE(report()["seconds"]["total"].get<double>() >= std::stod(limit));
        EXPECT_EQ(read_numbers(folder / "x.mtx").size(), static_cast<std::size_t>(n));
    }
    const Finished eigen = folder.run({"eigen", "a.mtx", "-k", "2", "--method", "subspace", "--rtol", "1e-14",
                                       "--format", "csr", "--time-limit", "0.05", "-o", "v.mtx", "--json", "j.json"});
    EXPECT_EQ(eigen.exit_code, 3) << eigen.err;
    EXPECT_EQ(report()["result"]["reason"], "time_limit");
    EXPECT_EQ(report()["method"]["time_limit"], 0.05);
    EXPECT_EQ(read_numbers(folder / "v.mtx").size(), std::size_t{2} * n);
}

TEST_F(LongSolve, TheTimeIsThatOfAllColumnsTogether) {
    for (const Words& way : {Words{"--solver", "cg"}, Words{"--solver", "block-cg", "--block", "1"}}) {
        Words words{"--rhs", "random:3", "--time-limit", "0.05"};
        words.insert(words.end(), way.begin(), way.end());
        EXPECT_EQ(solve(words, {}).exit_code, 3);
        expect_columns(report(), 3, "time_limit", 1);
    }
    EXPECT_EQ(solve({"--rhs", "random:2", "--solver", "both", "--time-limit", "0.05"}, {}).exit_code, 3);
    EXPECT_TRUE(report()["one_by_one"].is_null());
}

TEST_F(LongSolve, BothWaysAreNotComparedWhereOneWasInterrupted) {
    const Finished run = solve({"--rhs", "random:2", "--solver", "both"}, signalled(SIGTERM));
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.err.find("not compared: interrupted"), std::string::npos) << run.err;
    EXPECT_TRUE(report()["one_by_one"].is_null());
    expect_columns(report(), 2, "interrupted", 2);
}

TEST_F(LongSolve, EigenIsInterruptedLikeSolve) {
    for (const int signal : {SIGTERM, SIGUSR1}) {
        const Finished run = folder.run({"eigen", "a.mtx", "-k", "2", "--method", "subspace", "--rtol", "1e-14",
                                         "--format", "csr", "-o", "v.mtx", "--json", "j.json"},
                                        signalled(signal));
        EXPECT_EQ(run.exit_code, 3) << run.err;
        EXPECT_EQ(report()["result"]["reason"], "interrupted");
        EXPECT_EQ(read_numbers(folder / "v.mtx").size(), std::size_t{2} * n);
    }
}

}  // namespace
}  // namespace stiefel::test
