// Systems of the collection beside the repository, on 2 to 4 ranks: as in one process.
#include "cli/ranks/ranks_command.hpp"
#include "cli/systems.hpp"
#include "support/real_matrices.hpp"

#include <filesystem>

namespace stiefel::test {
namespace {

class RealMatrixOnRanks : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        matrix_ = real_matrix_path(GetParam());
        if (!std::filesystem::exists(matrix_)) GTEST_SKIP() << "no " << matrix_;
    }

    Json report_of(const Words& command) {
        const Finished run = folder_.run(command);
        EXPECT_EQ(run.exit_code, 0) << run.err;
        return Json::parse(folder_.read("j.json"));
    }
    Words solve(const Words& more) const {
        Words words{"solve", matrix_, "--backend", "openmp", "--rhs", "random", "--json", "j.json"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    std::string matrix_;
    Folder folder_;
};

class MultigridOfRealMatrix : public RealMatrixOnRanks {};

/// Whatever the file's order is like; with a library where that tears rows from what they are coupled to most.
TEST_P(MultigridOfRealMatrix, TakesHardlyMoreIterationsThanInOneProcess) {
    const Words words = solve({"--preconditioner", "amg"});
    const double alone = report_of(on_ranks(1, words))["result"]["iterations"];
    for (const int n : {2, 3, 4}) {
        const Json report = report_of(on_ranks(n, words));
        const std::string reason = report["ranks"]["partition_reason"];
        if (reason.find("neither PT-Scotch nor METIS") != std::string::npos) GTEST_SKIP() << reason;
        EXPECT_LE(report["result"]["iterations"].get<double>(), 1.15 * alone) << n << " ranks, " << reason;
    }
}

INSTANTIATE_TEST_SUITE_P(Collection, MultigridOfRealMatrix, ::testing::Values("G2_circuit", "rail_79841_negA"),
                         [](const auto& matrix) { return matrix.param; });

class AutoOnRealMatrix : public RealMatrixOnRanks {};

/// What one process factorises the first of several ranks does: none takes the thousands of iterations of the light
/// one.
TEST_P(AutoOnRealMatrix, GoesOnWithAFactorOfAllRowsAsOneProcessDoes) {
    const Json alone = report_of(on_ranks(1, solve({})));
    ASSERT_EQ(alone["method"]["preconditioner"], "cholesky");
    for (const int n : {2, 4}) {
        const Json report = report_of(on_ranks(n, solve({})));
        const std::string reason = report["method"]["preconditioner_reason"];
        EXPECT_EQ(report["method"]["preconditioner"], "cholesky") << reason;
        EXPECT_NE(reason.find("; the first rank has the factor, of all rows"), std::string::npos) << reason;
        EXPECT_LE(report["result"]["iterations"].get<double>(), 40) << n << " ranks";
    }
}

INSTANTIATE_TEST_SUITE_P(Collection, AutoOnRealMatrix, ::testing::Values("bcsstk17", "bcsstk18", "s1rmq4m1"),
                         [](const auto& matrix) { return matrix.param; });

}  // namespace
}  // namespace stiefel::test
