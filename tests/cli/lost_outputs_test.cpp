// Whatever goes wrong: no answer is lost for it, no output for another, and nothing is left behind.

#include "cli/poisson_command.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <system_error>

namespace stiefel::test {
namespace {

class LostOutputs : public PoissonCommand {
protected:
    LostOutputs() : PoissonCommand("solve", 50) {}

    /// `solve` with more words and all outputs.
    Finished solve_to_all(Words words) {
        words.insert(words.begin(), "solve");
        words.insert(words.end(), {"-o", "x.mtx", "--json", "j.json", "--history", "h.csv", "--report", "r.html"});
        return folder.run(words);
    }
    void expect_all_outputs() {
        for (const char* name : {"x.mtx", "j.json", "h.csv", "r.html"}) EXPECT_TRUE(folder.has(name)) << name;
    }
};

TEST_F(LostOutputs, NumbersBeyondTheRangeCostNoOutput) {
    folder.write("tiny.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1e-250\n2 2 1e-250\n");
    folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e60\n1e60\n");
    const Finished run = solve_to_all({"tiny.mtx", "--rhs", "b.mtx"});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_EQ(run.out.find("-nan"), std::string::npos) << run.out;
    expect_all_outputs();
    EXPECT_EQ(Json::parse(folder.read("j.json"))["result"]["reason"], "not_finite");
}

TEST_F(LostOutputs, NewLinesInNamesCostNoOutput) {
    for (const char* name : {"two\nlines.mtx", "two\rlines.mtx"}) {
        folder.write(name, poisson_text(50));
        EXPECT_EQ(solve_to_all({name}).exit_code, 0);
        expect_all_outputs();
        EXPECT_EQ(read_numbers(folder / "x.mtx").size(), 50u);
        EXPECT_EQ(folder.run({"eigen", name, "-o", "v.mtx"}).exit_code, 0);
        EXPECT_EQ(folder.run({"info", "v.mtx"}).exit_code, 0);
    }
    folder.write("b\n.mtx", folder.read("x.mtx"));
    EXPECT_EQ(solve_to_all({"a.mtx", "--rhs", "b\n.mtx"}).exit_code, 0);
    EXPECT_EQ(read_numbers(folder / "x.mtx").size(), 50u);
}

TEST_F(LostOutputs, OneThatCannotBeWrittenCostsNoOther) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const Words flags{"--output", "--history", "--report", "--json"};
    for (const std::string& full : flags) {
        Words words{"solve", "a.mtx", "--max-iterations", "3"};
        for (const std::string& flag : flags) {
            const std::string name = flag.substr(2);
            std::filesystem::remove(folder / name);
            words.insert(words.end(), {flag, flag == full ? "/dev/full" : name});
        }
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, 3) << "the outcome comes first";
        EXPECT_NE(run.err.find("stiefel: " + full + ": /dev/full: "), std::string::npos) << run.err;
        EXPECT_NE(run.out.find("all 3 iterations are used up"), std::string::npos) << run.out;
        for (const std::string& flag : flags) EXPECT_EQ(folder.has(flag.substr(2)), flag != full) << flag;
        if (full == "--json") continue;
        const Json report = Json::parse(folder.read("json"));
        ASSERT_EQ(report["failures"].size(), 1u) << full;
        EXPECT_TRUE(report["failures"][0].get<std::string>().starts_with(full)) << report["failures"];
    }
}

TEST_F(LostOutputs, MemoryThatGivesOutInTheSolveCostsNoReport) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
#endif
    folder.write("large.mtx", poisson_text(200000));
    const Running limited{.before_start = [] {
        const rlimit addresses{.rlim_cur = rlim_t{200} << 20, .rlim_max = rlim_t{200} << 20};
        setrlimit(RLIMIT_AS, &addresses);
    }};
    const auto expect_failure = [&](Words words, const std::string& result) {
        words.insert(words.begin() + 2,
                     {"--backend", "serial", "-o", "x.mtx", "--json", "j.json", "--history", "h.csv"});
        const Finished run = folder.run(words, limited);
        EXPECT_EQ(run.exit_code, 5) << run.err;
        EXPECT_NE(run.out.find(result), std::string::npos) << run.out;
        EXPECT_NE(run.err.find("out of memory: "), std::string::npos) << run.err;
        EXPECT_NE(run.err.find("stiefel: --output: not written"), std::string::npos) << run.err;
        const Json report = Json::parse(folder.read("j.json"));
        EXPECT_EQ(report["result"]["reason"], "failed");
        EXPECT_TRUE(report["result"]["failure"].get<std::string>().starts_with("out of memory: ")) << report["result"];
        EXPECT_EQ(report["result"]["exit_code"], 5);
        EXPECT_EQ(folder.read("h.csv"), "iteration,relative_residual\n");
        EXPECT_FALSE(folder.has("x.mtx"));
    };
    expect_failure({"solve", "large.mtx", "--rhs", "random:32", "--solver", "block-cg", "--block", "32"},
                   "the solve failed: out of memory");
    expect_failure({"eigen", "large.mtx", "--count", "16"}, "the search failed: out of memory");
}

TEST_F(LostOutputs, AReportThatCannotBePrintedIsToldAtTheEnd) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const Running to_full{.before_start = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }};
    const Finished run = folder.run({"solve", "a.mtx", "-o", "x.mtx"}, to_full);
    EXPECT_EQ(run.exit_code, 5);
    EXPECT_NE(run.err.find("report: standard output cannot be written"), std::string::npos) << run.err;
    EXPECT_TRUE(folder.has("x.mtx"));
}

TEST_F(LostOutputs, AFileThatMayNotGrowIsAnOutputThatCannotBeWritten) {
    const Running limited{.before_start = [] {
        const rlimit small{.rlim_cur = 20000, .rlim_max = 20000};
        setrlimit(RLIMIT_FSIZE, &small);
    }};
    const Finished made = folder.run({"generate", "poisson2d", "100", "-o", "p.mtx"}, limited);
    EXPECT_EQ(made.exit_code, 5) << "signal " << made.signal;
    EXPECT_NE(made.err.find("--output: p.mtx: cannot be written: File too large"), std::string::npos) << made.err;
    folder.write("b.mtx", poisson_text(4000));
    const Finished solved = folder.run({"solve", "b.mtx", "-o", "x.mtx", "--json", "j.json"}, limited);
    EXPECT_EQ(solved.exit_code, 5) << "signal " << solved.signal;
    EXPECT_EQ(folder.names(), (Words{"a.mtx", "b.mtx", "j.json"}));
}

/// Whether the process has written something to a file in the folder, with a name or without.
bool is_writing_to(const std::filesystem::path& folder, int pid) {
    namespace fs = std::filesystem;
    std::error_code gone;
    fs::directory_iterator file("/proc/" + std::to_string(pid) + "/fd", gone);
    for (; !gone && file != fs::directory_iterator(); file.increment(gone)) {
        const bool is_there = fs::read_symlink(file->path(), gone).string().starts_with(folder.string());
        if (is_there && fs::file_size(file->path(), gone) > 0 && !gone) return true;
    }
    return false;
}

TEST_F(LostOutputs, ASignalWhileAFileIsWrittenLeavesNothingBehind) {
    for (const int signal : {SIGTERM, SIGKILL, SIGHUP}) {
        const Finished run = folder.run({"generate", "poisson3d", "100", "-o", "p.mtx.gz"}, {.on_tick = [&](int pid) {
                                            if (is_writing_to(folder.path(), pid)) kill(pid, signal);
                                        }});
        EXPECT_EQ(run.signal, signal) << "all was written before the signal came";
        EXPECT_EQ(folder.names(), Words{"a.mtx"});
    }
}

TEST_F(LostOutputs, DevicesTakeOutputs) {
    EXPECT_EQ(folder.run({"convert", "a.mtx", "/dev/null"}).exit_code, 0);
    EXPECT_EQ(folder.run({"solve", "a.mtx", "-o", "/dev/null", "--json", "/dev/null"}).exit_code, 0);
    const Finished shown = folder.run({"solve", "a.mtx", "-o", "/dev/stdout", "--quiet"});
    EXPECT_TRUE(shown.out.starts_with("%%MatrixMarket matrix array")) << shown.err;
}

}  // namespace
}  // namespace stiefel::test
