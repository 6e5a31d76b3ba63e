// What multigrid can be told: nodes, their coordinates, its parts.

#include "cli/failing_commands.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;

class AmgOptions : public FailingCommands {
protected:
    AmgOptions() {
        const Finished run = folder.run({"generate", "elasticity3d", "6", "-o", "k.mtx", "--coordinates", "xyz.csv"});
        EXPECT_EQ(run.exit_code, 0) << run.err;
    }

    Json report_of(Words words) {
        words.insert(words.begin(), {"solve", "k.mtx", "--preconditioner", "amg", "--threads", "1", "--backend",
                                     "openmp", "--json", "j.json", "--report", "r.html"});
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, 0) << run.err;
        printed = run.out;
        return Json::parse(folder.read("j.json"));
    }

    int iterations(Words words) {
        words.push_back("-q");
        return report_of(words)["result"]["iterations"].get<int>();
    }

    std::string printed;  // by the last run
};

/// Rigid-body modes take fewer iterations than constants for each displacement, and these than one for all.
TEST_F(AmgOptions, NodesAreFoundOrTold) {
    const int found = iterations({});
    EXPECT_EQ(iterations({"--block-size", "3"}), found);
    EXPECT_GT(iterations({"--block-size", "1"}), found);
    const int modes = iterations({"--coordinates", "xyz.csv"});
    EXPECT_LT(modes, found - 2);
    // The same numbers as lines that might be entries 'i j value', and as an array.
    std::string plain = folder.read("xyz.csv");
    for (char& c : plain) c = c == ',' ? ' ' : c;
    folder.write("xyz.txt", plain);
    EXPECT_EQ(iterations({"--coordinates", "xyz.txt"}), modes);
    EXPECT_EQ(folder.run({"generate", "elasticity3d", "6", "-o", "k.mtx", "--coordinates", "xyz.mtx"}).exit_code, 0);
    EXPECT_EQ(iterations({"--coordinates", "xyz.mtx"}), modes);
}

TEST_F(AmgOptions, PartsAreChosen) {
    for (const char* smoother : {"chebyshev", "gauss-seidel", "l1-jacobi", "spai0"}) {
        for (const char* cycle : {"auto", "v", "w", "k"}) {
            EXPECT_LE(iterations({"--amg-smoother", smoother, "--amg-cycle", cycle}), 35) << smoother << " " << cycle;
        }
    }
    expect_failure({"solve", "k.mtx", "--amg-smoother", "sor"}, 1, {"--amg-smoother", "chebyshev, gauss-seidel"});
    expect_failure({"solve", "k.mtx", "--amg-cycle", "f"}, 1, {"--amg-cycle", "auto, v, w, k"});
    for (const char* coarsening : {"auto", "smoothed", "pairs"}) {
        EXPECT_LE(iterations({"--block-size", "1", "--amg-coarsening", coarsening}), 45) << coarsening;
    }
    expect_failure({"solve", "k.mtx", "--amg-coarsening", "pmis"}, 1, {"--amg-coarsening", "auto, smoothed, pairs"});
}

/// What was taken is told in every form, whether it was asked for, found or the default.
TEST_F(AmgOptions, ReportsNameTheParts) {
    const auto expect = [&](const Words& words, const Json& parts, const std::string& text) {
        const Json about = report_of(words)["preconditioner"];
        for (const auto& [key, part] : parts.items()) EXPECT_EQ(about[key], part) << key;
        ASSERT_TRUE(about["trial_quotient"].is_number());
        const double quotient = about["trial_quotient"];
        EXPECT_GT(quotient, 1e-5);
        EXPECT_LE(quotient, 2.5);
        const std::string with_trial = text + fmt::format(" by a trial (x'Ax / x'x = {:.1e})", quotient);
        std::string lines = printed;
        for (std::size_t at; (at = lines.find("\n           ")) != std::string::npos;)
            lines.erase(at, 11), lines[at] = ' ';
        EXPECT_NE(lines.find("multigrid  " + with_trial + "\n"), std::string::npos) << printed;
        EXPECT_NE(folder.read("r.html").find(text + " by a trial"), std::string::npos) << text;
    };
    expect({},
           {{"coarsening", "smoothed"},
            {"smoother", "chebyshev"},
            {"cycle", "v"},
            {"precision", "single"},
            {"block_size", 3},
            {"near_null_space", "a constant a component"}},
           "smoothed coarsening, chebyshev smoother, v-cycle, 3 unknowns a node, near null space: a constant a "
           "component, in single precision");
    expect({"--block-size", "1", "--amg-coarsening", "pairs", "--amg-smoother", "spai0", "--amg-cycle", "k"},
           {{"coarsening", "pairs"},
            {"smoother", "spai0"},
            {"cycle", "k"},
            {"block_size", 1},
            {"near_null_space", "constant"}},
           "pairs coarsening, spai0 smoother, k-cycle, 1 unknown a node, near null space: constant, in single "
           "precision");
    expect({"--coordinates", "xyz.csv"}, {{"block_size", 3}, {"near_null_space", "rigid-body modes"}},
           "smoothed coarsening, chebyshev smoother, v-cycle, 3 unknowns a node, near null space: rigid-body modes, "
           "in single precision");
}

/// The generator says where its nodes are only where they have several unknowns.
TEST_F(AmgOptions, WhatDoesNotFitIsNamed) {
    const auto solve = [](Words more) {
        more.insert(more.begin(), {"solve", "k.mtx"});
        return more;
    };
    expect_failure(solve({"--block-size", "5"}), 1, {"--block-size 5", "882 rows"});
    expect_failure(solve({"--block-size", "2", "--coordinates", "xyz.csv"}), 1, {"--block-size 2", "3 unknowns"});
    expect_failure(solve({"--preconditioner", "jacobi", "--coordinates", "xyz.csv"}), 1, {"--coordinates", "amg"});
    expect_failure(solve({"--coordinates", "none.csv"}), 2, {"--coordinates", "none.csv"});
    folder.write("few.csv", "1,2,3\n4,5,6\n");
    expect_failure(solve({"--coordinates", "few.csv"}), 2, {"few.csv", "2 rows of 3", "882 rows"});
    folder.write("wide.csv", "1,2,3,4\n");
    expect_failure(solve({"--coordinates", "wide.csv"}), 2, {"wide.csv", "4 numbers a row", "2 or 3"});
    folder.write("bad.csv", "1,2,3\n4,nan,6\n");
    expect_failure(solve({"--coordinates", "bad.csv"}), 2, {"bad.csv:2:3", "nan"});
    folder.write("ragged.csv", "1,2,3\n4,5\n");
    expect_failure(solve({"--coordinates", "ragged.csv"}), 2, {"ragged.csv:2", "3 numbers"});
    expect_failure({"generate", "poisson2d", "4", "-o", "p.mtx", "--coordinates", "xy.csv"}, 1, {"--coordinates"});
}

/// A direction of negative curvature that the set-up meets is an answer about the matrix: 4.
TEST_F(AmgOptions, IndefiniteMatricesAreNamed) {
    constexpr int n = 3000;
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", n, n, 2 * n - 1);
    for (int i = 1; i <= n; ++i) text += fmt::format("{} {} 1.5\n", i, i);
    for (int i = 1; i < n; ++i) text += fmt::format("{} {} -1\n", i + 1, i);
    folder.write("indefinite.mtx", text);
    expect_failure({"solve", "indefinite.mtx", "--preconditioner", "amg", "--backend", "openmp"}, 4,
                   {"not positive definite", "p'A p"});
}

}  // namespace
}  // namespace stiefel::test
