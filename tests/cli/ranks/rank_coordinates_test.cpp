// mpirun -np n stiefel solve --coordinates: nodes of an elastic body, with the ranks that hold their rows.
#include "cli/ranks/ranks_command.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {
namespace {

class CoordinatesOnRanks : public ::testing::Test {
protected:
    static constexpr const char* body = "generate:elasticity3d:14:9:10";

    CoordinatesOnRanks() {
        const Finished run = folder.run(
            on_ranks(1, {"generate", "elasticity3d", "14", "9", "10", "-o", "k.mtx", "--coordinates", "xyz.mtx"}));
        EXPECT_EQ(run.exit_code, 0) << run.err;
    }

    Json report_of(int ranks, Words words) {
        words.insert(words.begin(), {"solve"});
        words.insert(words.end(),
                     {"--preconditioner", "amg", "--rhs", "random", "-o", "x.mtx", "--json", "j.json", "-q"});
        const Finished run = folder.run(on_ranks(ranks, words));
        EXPECT_EQ(run.exit_code, 0) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    Folder folder;
};

TEST_F(CoordinatesOnRanks, TakeAsManyIterationsAsInOneProcess) {
    const double without = report_of(1, {"k.mtx"})["result"]["iterations"];
    const double alone = report_of(1, {"k.mtx", "--coordinates", "xyz.mtx"})["result"]["iterations"];
    EXPECT_LT(alone, 0.7 * without);
    const struct {
        std::string matrix;
        int ranks;
        const char* partition;
    } cases[] = {{"k.mtx", 2, "blocks"}, {"k.mtx", 3, "blocks"}, {body, 3, "blocks"}, {"k.mtx", 3, "auto"}};
    for (const auto& [matrix, ranks, partition] : cases) {
        SCOPED_TRACE(matrix + " on " + std::to_string(ranks) + ' ' + partition);
        const Json report = report_of(ranks, {matrix, "--coordinates", "xyz.mtx", "--partition", partition});
        EXPECT_LE(report["result"]["iterations"].get<double>(), 1.15 * alone);
        EXPECT_EQ(report["preconditioner"]["near_null_space"], "rigid-body modes");
        EXPECT_EQ(report["preconditioner"]["block_size"], 3);
        for (const Json& rank : report["ranks"]["of"]) EXPECT_EQ(rank["rows"].get<int>() % 3, 0);
    }
}

/// Aggregates end where a rank's rows do, so that the second level of a body of few layers is larger; it is visited as
/// often.
TEST_F(CoordinatesOnRanks, ThinPartsTakeAsManyIterations) {
    const Finished made = folder.run(
        on_ranks(1, {"generate", "elasticity3d", "40", "12", "12", "-o", "k.mtx", "--coordinates", "xyz.mtx"}));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const double alone = report_of(1, {"k.mtx", "--coordinates", "xyz.mtx"})["result"]["iterations"];
    for (const int ranks : {2, 3}) {
        const Json report = report_of(ranks, {"k.mtx", "--coordinates", "xyz.mtx", "--partition", "blocks"});
        EXPECT_LE(report["result"]["iterations"].get<double>(), 1.15 * alone) << ranks;
        EXPECT_EQ(report["preconditioner"]["cycle"], "w");
    }
}

/// Which a library's parts, of rows one by one, would tear apart.
TEST_F(CoordinatesOnRanks, NodesStayTogetherInAnyPartition) {
    const double alone = report_of(1, {"k.mtx", "--coordinates", "xyz.mtx"})["result"]["iterations"];
    for (const std::string library : {"scotch", "metis"}) {
        const Finished there = folder.run(on_ranks(2, {"solve", "generate:poisson1d:9", "--partition", library, "-q"}));
        if (there.exit_code != 0) continue;
        SCOPED_TRACE(library);
        Json report = report_of(3, {"k.mtx", "--coordinates", "xyz.mtx", "--partition", library});
        EXPECT_EQ(report["ranks"]["partition"], library);
        EXPECT_LE(report["result"]["iterations"].get<double>(), 1.15 * alone);
        for (const Json& rank : report["ranks"]["of"]) EXPECT_EQ(rank["rows"].get<int>() % 3, 0);
        report = report_of(3, {"k.mtx", "--partition", library});
        EXPECT_EQ(report["preconditioner"]["block_size"], 3) << "found where it is not told";
        for (const Json& rank : report["ranks"]["of"]) EXPECT_EQ(rank["rows"].get<int>() % 3, 0);
    }
}

TEST_F(CoordinatesOnRanks, MoreRanksThanNodes) {
    folder.write("small.mtx", matrix_text("symmetric", 4, 7, poisson_lines(4)));
    folder.write("two.csv", "0,0\n1,0\n");
    EXPECT_LE(report_of(4, {"small.mtx", "--coordinates", "two.csv"})["result"]["iterations"], 4);
}

/// Once, as by one process.
TEST_F(CoordinatesOnRanks, WhatDoesNotFitIsRefused) {
    folder.write("few.csv", "1,2,3\n4,5,6\n");
    folder.write("bad.csv", "1,2,3\n4,nan,6\n");
    const Words refused[] = {{"--coordinates", "none.csv"},
                             {"--coordinates", "few.csv"},
                             {"--coordinates", "bad.csv"},
                             {"--coordinates", "archive"},
                             {"--coordinates", "xyz.mtx", "--block-size", "2"},
                             {"--block-size", "8"},
                             {"--coordinates", "xyz.mtx", "--preconditioner", "jacobi"}};
    for (const Words& more : refused) {
        Words words{"solve", "k.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished alone = folder.run(on_ranks(1, words)), run = folder.run(on_ranks(3, words));
        EXPECT_NE(alone.exit_code, 0);
        EXPECT_EQ(run.exit_code, alone.exit_code);
        ASSERT_EQ(said(run).size(), 1u) << run.err;
        EXPECT_EQ(said(run), said(alone));
    }
}

}  // namespace
}  // namespace stiefel::test
