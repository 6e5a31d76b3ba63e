// mpirun -np n stiefel solve and eigen in single precision: as one process computes in it.
#include "cli/ranks/ranks_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

namespace stiefel::test {
namespace {

/// tridiag(-1, 2, -1) times 10^power.
std::string tridiagonal(int n, int power) {
    Words lines;
    for (int i = 1; i <= n; ++i) {
        lines.push_back(fmt::format("{0} {0} 2e{1}", i, power));
        if (i < n) lines.push_back(fmt::format("{} {} -1e{}", i + 1, i, power));
    }
    return matrix_text("symmetric", n, lines.size(), lines);
}

class SingleOnRanks : public ::testing::Test {
protected:
    Json report_of(int ranks, Words words) {
        words.insert(words.end(), {"--precision", "single", "--json", "j.json"});
        const Finished run = folder.run(on_ranks(ranks, words));
        EXPECT_EQ(run.exit_code, 0) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    void expect_as_alone(Words words, int exit_code) {
        words.insert(words.end(), {"--precision", "single", "-q"});
        const Finished alone = folder.run(on_ranks(1, words));
        EXPECT_EQ(alone.exit_code, exit_code) << alone.err;
        const Finished run = folder.run(on_ranks(3, words));
        EXPECT_EQ(run.exit_code, exit_code) << run.err;
        EXPECT_EQ(said(run), said(alone));
    }

    Folder folder;
};

TEST_F(SingleOnRanks, SolvesTakeTheIterationsOfOneProcess) {
    const std::pair<std::string, std::string> cases[] = {{"openmp", "none"},      {"openmp", "jacobi"},
                                                         {"openmp", "chebyshev"}, {"openmp", "amg"},
                                                         {"openmp", "auto"},      {"serial", "amg"}};
    for (const auto& [backend, preconditioner] : cases) {
        SCOPED_TRACE(backend + ' ' + preconditioner);
        Words words{"solve", "generate:jump_diffusion3d:20:18:20", "--rtol", "1e-5", "--rhs", "random", "-o", "x.npy"};
        words.insert(words.end(), {"--backend", backend, "--preconditioner", preconditioner});
        const double alone = report_of(1, words)["result"]["iterations"];
        const auto bytes = std::filesystem::file_size(folder / "x.npy");
        const Json report = report_of(3, words);
        EXPECT_NEAR(report["result"]["iterations"].get<double>(), alone, 1 + 0.1 * alone);
        EXPECT_EQ(report["method"]["precision"], "single");
        EXPECT_EQ(std::filesystem::file_size(folder / "x.npy"), bytes) << "x in 32 bits";
    }
    const Json blocks =
        report_of(2, {"solve", "generate:poisson3d:12", "--rtol", "1e-5", "--rhs", "random:3", "--solver", "block-cg"});
    EXPECT_LE(blocks["result"]["relative_residual"], 1e-5);
    // 4 bytes an element of what crosses the border of a grid of 20 x 18 points, either way.
    const Json halo = report_of(2, {"solve", "generate:poisson3d:20:18:20", "--rtol", "1e-4", "--preconditioner",
                                    "jacobi", "--partition", "blocks"});
    EXPECT_EQ(halo["ranks"]["halo_bytes"].get<double>(), 2 * 20 * 18 * 4);
}

TEST_F(SingleOnRanks, SolvesWhatSinglePrecisionCouldNotEvenRead) {
    for (const int power : {-50, 50}) {
        SCOPED_TRACE(power);
        folder.write("t.mtx", tridiagonal(60, power));
        const Words words{"solve", "t.mtx", "--rtol", "1e-5", "--rhs", "consistent"};
        const Json alone = report_of(1, words), report = report_of(3, words);
        EXPECT_LE(report["result"]["error"].get<double>(), 0.02);
        EXPECT_NEAR(report["result"]["rhs_norm"].get<double>() / std::pow(10.0, power), std::sqrt(2), 1e-5);
        EXPECT_EQ(report["notes"], alone["notes"]);
        std::string b = "%%MatrixMarket matrix array real general\n60 1\n";
        for (int i = 1; i <= 60; ++i) b += fmt::format("{}e{}\n", i % 7 + 1, power);
        folder.write("b.mtx", b);
        const double rhs_norm =
            report_of(3, {"solve", "t.mtx", "--rtol", "1e-3", "--rhs", "b.mtx"})["result"]["rhs_norm"];
        const Json absolute = report_of(
            3, {"solve", "t.mtx", "--rhs", "b.mtx", "--rtol", "0", "--atol", fmt::format("{}", 0.1 * rhs_norm)});
        EXPECT_LE(absolute["result"]["relative_residual"].get<double>(), 0.1001);
    }
    expect_as_alone({"solve", "generate:poisson2d:9", "--rtol", "1e-4"}, 0);
}

TEST_F(SingleOnRanks, WhatSinglePrecisionHasNoRoomForIsRefused) {
    folder.write("wide.mtx", matrix_text("symmetric", 3, 3, {"1 1 1", "2 2 1e-300", "3 3 1"}));
    expect_as_alone({"solve", "wide.mtx"}, 2);
    folder.write("d.mtx", matrix_text("symmetric", 2, 2, {"1 1 1", "2 2 1"}));
    folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1e-60\n2e-60\n");
    expect_as_alone({"solve", "d.mtx", "--rhs", "b.mtx"}, 2);
    Words integers = {"1 1 16777217", "2 2 16777219"};
    folder.write("i.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n" + integers[0] + '\n' +
                              integers[1] + '\n');
    const Words words{"solve", "i.mtx", "--rtol", "1e-5"};
    EXPECT_EQ(report_of(2, words)["notes"], report_of(1, words)["notes"]);
}

TEST_F(SingleOnRanks, EigenvaluesAreThoseOfOneProcess) {
    folder.write("t.mtx", tridiagonal(300, 60));
    const Words words{"eigen", "t.mtx", "--count", "1", "--rtol", "1e-4", "--which", "largest", "-o", "V.mtx"};
    const Json alone = report_of(1, words), report = report_of(3, words);
    EXPECT_NEAR(report["result"]["iterations"].get<double>(), alone["result"]["iterations"].get<double>(), 3);
    const double exact = (2 - 2 * std::cos(M_PI * 300 / 301)) * 1e60;
    EXPECT_NEAR(report["pairs"][0]["value"].get<double>() / exact, 1, 5e-4);
    EXPECT_EQ(report["method"]["precision"], "single");
}

}  // namespace
}  // namespace stiefel::test
