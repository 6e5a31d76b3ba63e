// What goes wrong on ranks: told once, as by one process, and never waited for.
#include "cli/ranks/ranks_command.hpp"
#include "cli/systems.hpp"

#include "stiefel/core/cuda.hpp"
#include "test_paths.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace stiefel::test {
namespace {

/// Whether all ranks of an mpirun have begun to solve: from then on they catch signals.
bool all_solve(int mpirun, int n_ranks) {
    std::ifstream children("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) + "/children");
    int n_solving = 0;
    for (int pid = 0; children >> pid;) n_solving += catches(pid, SIGUSR1) ? 1 : 0;
    return n_solving == n_ranks;
}

class RankFaults : public ::testing::Test {
protected:
    static constexpr int n = 60;
    Folder folder;

    /// As one process ends and what it says, so do several.
    void expect_as_alone(const Words& words) {
        const Finished alone = folder.run(on_ranks(1, words));
        EXPECT_NE(alone.exit_code, 0);
        ASSERT_EQ(said(alone).size(), 1u) << alone.err;
        for (const int ranks : {2, 4}) {
            const Finished run = folder.run(on_ranks(ranks, words));
            EXPECT_EQ(run.exit_code, alone.exit_code) << ranks << ": " << run.err;
            EXPECT_EQ(said(run), said(alone)) << ranks << ": " << run.err;
        }
    }
    void expect_refused(const Finished& run, const std::string& part) {
        EXPECT_EQ(run.exit_code, 1) << run.err;
        ASSERT_EQ(said(run).size(), 1u) << run.err;
        EXPECT_NE(said(run).front().find(part), std::string::npos) << said(run).front();
    }
};

TEST_F(RankFaults, FilesAreRefusedWhereOneProcessRefusesThem) {
    struct Case {
        const char* what;
        std::size_t line;  ///< of the entries, which is replaced
        const char* text;
        std::size_t n_entries = 2 * n - 1;
    };
    const Case cases[] = {{"early", 3, "7 x 3"},
                          {"in the middle", 70, "7 x 3"},
                          {"late", 110, "7 x 3"},
                          {"outside", 20, "61 1 3"},
                          {"mirrored", 100, "5 6 -1"},
                          {"more than said", 0, "1 1 2", 100},
                          {"fewer than said", 0, "1 1 2", 200},
                          {"negative", 40, "41 41 -4"},
                          {"more, and a fault", 105, "oops", 100},
                          {"a fault, and more", 80, "oops", 100}};
    for (const Case& broken : cases) {
        SCOPED_TRACE(broken.what);
        Words lines = poisson_lines(n);
        lines[broken.line] = broken.text;
        folder.write("a.mtx", matrix_text("symmetric", n, broken.n_entries, lines));
        expect_as_alone({"solve", "a.mtx"});
    }
}

TEST_F(RankFaults, SystemsAreRefusedAsByOneProcess) {
    Words general = poisson_lines(n);
    for (int i = 1; i < n; ++i) general.push_back(std::to_string(i) + ' ' + std::to_string(i + 1) + " -1");
    general[100] = "42 41 -1.5";
    folder.write("unsymmetric.mtx", matrix_text("general", n, general.size(), general));
    expect_as_alone({"solve", "unsymmetric.mtx"});
    folder.write("rectangular.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 1\n2 2 1\n");
    expect_as_alone({"solve", "rectangular.mtx"});
    folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n)));
    folder.write("short.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n");
    expect_as_alone({"solve", "a.mtx", "--rhs", "short.mtx"});
    expect_as_alone({"solve", "nowhere.mtx"});
    expect_as_alone({"solve", "a.mtx", "-o", "nowhere/x.mtx"});
    expect_as_alone({"solve", "a.mtx", "--bogus"});
}

TEST_F(RankFaults, WhatIsNotThereYetIsRefused) {
    folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n)));
    expect_refused(folder.run(on_ranks(2, {"convert", "a.mtx", "b.mtx"})), "without mpirun");
    expect_refused(folder.run(on_ranks(2, {"generate", "poisson3d", "3", "-o", "b.mtx"})), "without mpirun");
    expect_refused(folder.run(on_ranks(2, {"info", "a.mtx", "--preconditioners"})), "--preconditioners");
    expect_refused(folder.run(on_ranks(2, {"solve", "a.mtx", "--device", "0"})), "--device");
    expect_refused(folder.run(on_ranks(2, {"solve", "a.mtx", "--cache"})), "--cache");
}

/// None where there is no device, fewer than ranks elsewhere.
TEST_F(RankFaults, GpusThatThereAreNotEndAllWithNumbers) {
    folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n)));
#ifdef STIEFEL_HAS_CUDA
    const int n_gpus = n_cuda_devices();
#else
    const int n_gpus = 0;
#endif
    if (n_gpus > 7) GTEST_SKIP() << "this machine has " << n_gpus << " CUDA devices";
    const Finished run = folder.run(on_ranks(std::max(2, n_gpus + 1), {"solve", "a.mtx", "--backend", "cuda"}));
    EXPECT_EQ(run.exit_code, 5) << run.err;
    ASSERT_EQ(said(run).size(), 1u) << run.err;
    EXPECT_NE(said(run).front().find(n_gpus == 0 ? "CUDA" : "start one for each GPU"), std::string::npos)
        << said(run).front();
}

TEST_F(RankFaults, RanksThatAreAskedForDifferentThingsDoNothing) {
    folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n)));
    Words words = on_ranks(1, {"solve", "a.mtx", "-o", "x.mtx"});
    words.push_back(":");
    const Words other = on_ranks(1, {"solve", "a.mtx", "-o", "x.mtx", "--rtol", "1e-3"});
    words.insert(words.end(), other.begin(), other.end());
    expect_refused(folder.run(words), "asked for the same");
    EXPECT_FALSE(folder.has("x.mtx"));
}

TEST_F(RankFaults, AProgramWithoutItsCompanionDoesNotSolveTwice) {
    folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n)));
    std::filesystem::create_symlink(STIEFEL_OF_RANKS, folder / "linked");
    EXPECT_EQ(folder.run(on_ranks(2, {"solve", "a.mtx", "-q"}, "./linked")).exit_code, 0)
        << "found where the link leads";
    std::filesystem::copy_file(STIEFEL_OF_RANKS, folder / "alone");
    expect_refused(folder.run(on_ranks(2, {"solve", "a.mtx"}, "./alone")), "alone-mpi");
    EXPECT_EQ(folder.run(on_ranks(1, {"solve", "a.mtx", "-q"}, "./alone")).exit_code, 0);
}

/// Signals go to mpirun, which passes SIGUSR1 on as it is, and ends all for the others: its exit code is then its own.
TEST_F(RankFaults, SignalsEndAllAndXIsWritten) {
    constexpr int many = 100000;
    folder.write("a.mtx", poisson_text(many));
    setenv(seconds_until_killed, "2", 1);
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) {
        SCOPED_TRACE(signal);
        std::filesystem::remove(folder / "x.mtx");
        bool is_sent = false;
        const Running signalled{.on_tick = [&](int pid) {
            if (is_sent || !all_solve(pid, 2)) return;
            is_sent = kill(pid, signal) == 0;
        }};
        const Finished run = folder.run(
            on_ranks(2, {"solve", "a.mtx", "--preconditioner", "none", "--format", "csr", "-o", "x.mtx"}), signalled);
        EXPECT_EQ(run.exit_code, signal == SIGUSR1 ? 3 : 1) << run.err;
        EXPECT_NE(run.out.find("interrupted after"), std::string::npos) << run.out << run.err;
        EXPECT_EQ(read_numbers(folder / "x.mtx").size(), std::size_t{many});
    }
    unsetenv(seconds_until_killed);
}

/// The most addresses that the second rank of an mpirun has had so far, in KiB.
int peak_of_second(int mpirun) {
    std::ifstream children("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) + "/children");
    for (std::string pid; children >> pid;) {
        std::ifstream variables("/proc/" + pid + "/environ");
        bool is_second = false;
        for (std::string text; std::getline(variables, text, '\0');) {
            is_second |= text == "OMPI_COMM_WORLD_RANK=1" || text == "PMI_RANK=1";
        }
        std::ifstream status("/proc/" + pid + "/status");
        for (std::string word; is_second && status >> word;) {
            int peak = 0;
            if (word == "VmPeak:" && status >> peak) return peak;
        }
    }
    return 0;
}

/// Whichever of the arrays of its share a rank has no memory for: all end, with one message. Less than a small system
/// takes is not tried: MPI itself waits for ever then, or crashes, as it likes.
TEST_F(RankFaults, ARankWithoutMemoryEndsAll) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer's own memory counts as well";
#endif
    folder.write("limited",
                 "#!/bin/sh\n[ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 1 ] && ulimit -v $LIMIT\nexec \"$@\"\n");
    std::filesystem::permissions(folder / "limited", std::filesystem::perms::owner_all);
    const auto run_under = [&](const std::string& limit, int* peak) {
        const Words words{STIEFEL_OF_RANKS,
                          "solve",
                          "generate:poisson3d:100",
                          "--preconditioner",
                          "jacobi",
                          "--rtol",
                          "1e-300",
                          "--max-iterations",
                          "100000000",
                          "--time-limit",
                          "1"};
        const auto watch = [peak](int pid) {
            if (peak != nullptr) *peak = std::max(*peak, peak_of_second(pid));
        };
        const auto set_limit = [&] { setenv("LIMIT", limit.c_str(), 1); };
        return folder.run(on_ranks(3, words, "./limited"), Running{.on_tick = watch, .before_start = set_limit});
    };
    int enough = 0;
    const Finished unlimited = run_under("unlimited", &enough);
    ASSERT_EQ(unlimited.exit_code, 3) << unlimited.err;
    ASSERT_GT(enough, 0);
    for (const int less : {2, 4, 8, 16, 24, 32}) {  // MiB; a third of the matrix and of the vectors takes 50
        SCOPED_TRACE(less);
        const Finished run = run_under(std::to_string(enough - less * 1024), nullptr);
        EXPECT_EQ(run.exit_code, 5) << enough << ' ' << run.out << run.err;
        EXPECT_EQ(said(run).size(), 1u) << run.err;
        EXPECT_EQ(run.out.find("converged"), std::string::npos);
    }
}

/// As between hosts, where Debian's Open MPI has no memory that ranks reach into.
TEST_F(RankFaults, RanksNeedNoMemoryInCommon) {
    setenv("OMPI_MCA_osc", "^sm,rdma,pt2pt,ucx,monitoring", 1);
    folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n)));
    EXPECT_EQ(folder.run(on_ranks(2, {"solve", "a.mtx", "-q"})).exit_code, 0);
    unsetenv("OMPI_MCA_osc");
}

}  // namespace
}  // namespace stiefel::test
