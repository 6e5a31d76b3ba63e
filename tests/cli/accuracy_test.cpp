// What `solve` and `eigen` say of the condition of a system and of how good a solution is, whatever ends them.

#include "cli/poisson_command.hpp"
#include "support/real_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

namespace stiefel::test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A report without the line breaks that keep it narrow.
std::string unwrapped(const std::string& report) {
    std::string text;
    for (const char c : report) {
        const bool is_space = c == ' ' || c == '\n';
        if (!is_space || (!text.empty() && text.back() != ' ')) text += is_space ? ' ' : c;
    }
    return text;
}

/// tridiag(-1, 2, -1) of n rows: |A| is 4, the condition known.
class AccuracyReport : public PoissonCommand {
protected:
    static constexpr int n = 200;

    AccuracyReport() : PoissonCommand("solve", n) {}

    static double condition() { return std::pow(std::tan(std::numbers::pi / (2 * (n + 1))), -2); }
    static double norm(const std::vector<double>& x) {
        double squares = 0;
        for (const double value : x) squares += value * value;
        return std::sqrt(squares);
    }
};

TEST_F(AccuracyReport, TellsWhatIsRecomputedFromX) {
    const Json result = report_of({"--rtol", "1e-3", "-o", "x.mtx", "--preconditioner", "none"})["result"];
    const std::vector<double> x = read_numbers(folder / "x.mtx");
    const TrueResidual residual = true_residual(folder / "a.mtx", x, std::vector<double>(n, 1.0));
    const double product = 4 * norm(x) / std::sqrt(double{n});
    EXPECT_DOUBLE_EQ(result["matrix_norm"].get<double>(), 4);
    EXPECT_NEAR(result["backward_error"].get<double>(), residual.relative / (product + 1), eps);
    EXPECT_TRUE(std::abs(result["attainable_residual"].get<double>() / (eps * product) - 1) <= 1e-9);
}

TEST_F(AccuracyReport, TheConditionIsThatOfTheLastPreconditioner) {
    const auto solve = [&](const Words& words) {
        Words all{"--rhs", "random", "--rtol", "1e-10"};
        all.insert(all.end(), words.begin(), words.end());
        return report_of(all);
    };
    for (const char* preconditioner : {"none", "jacobi"}) {  // the diagonal is even
        const Json report = solve({"--preconditioner", preconditioner});
        const double told = report["result"]["condition"];
        EXPECT_TRUE(told <= condition() * (1 + 1e-9) && told >= 0.97 * condition()) << told;
        EXPECT_EQ(report["preconditioner"]["runs"][0]["condition"], told);
    }
    const double with_amg = solve({"--preconditioner", "amg"})["result"]["condition"];
    EXPECT_TRUE(with_amg >= 1 && with_amg < 10) << with_amg;
    const double of_block = solve({"--solver", "block-cg", "--preconditioner", "none"})["result"]["condition"];
    EXPECT_TRUE(of_block <= condition() * (1 + 2e-5) && of_block >= 0.97 * condition()) << of_block;
}

/// In single precision entries are divided by a power of two on the way; what is told is of the matrix as read.
TEST_F(AccuracyReport, IsOfTheMatrixAsItWasRead) {
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n", n, 2 * n - 1);
    for (int i = 1; i <= n; ++i) {
        text += fmt::format("{0} {0} 2e250\n", i);
        if (i < n) text += fmt::format("{} {} -1e250\n", i + 1, i);
    }
    folder.write("a.mtx", text);
    for (const char* precision : {"double", "single"}) {
        const Json result = report_of({"--rhs", "consistent", "--precision", precision, "--rtol", "1e-4"})["result"];
        EXPECT_TRUE(std::abs(result["matrix_norm"].get<double>() / 4e250 - 1) <= 1e-6) << result["matrix_norm"];
        const double backward_error = result["backward_error"], residual = result["relative_residual"];
        EXPECT_TRUE(backward_error < residual && backward_error > residual / (4 * condition())) << backward_error;
        const double told = result["condition"];
        EXPECT_TRUE(told <= 1.001 * condition() && told >= 1) << told;
    }
}

/// Beyond what the precision can reach: as good as it gets, and said so, in every report.
TEST_F(AccuracyReport, SaysWhatThePrecisionAllows) {
    for (const char* precision : {"double", "single"}) {
        const Words words{"--rtol", "1e-30", "--precision", precision, "--rhs", "random", "--report", "r.html"};
        const Json result = report_of(words, 3)["result"];
        const double eps_here = precision == std::string("double") ? eps : std::numeric_limits<float>::epsilon();
        EXPECT_EQ(result["reason"], "stagnated");
        EXPECT_EQ(result["evidence"], "rounding");
        EXPECT_LE(result["backward_error"].get<double>(), 4 * eps_here);
        EXPECT_GT(result["attainable_residual"].get<double>(), eps_here);
        Words command{"solve", "a.mtx"};
        command.insert(command.end(), words.begin(), words.end());
        const Finished run = folder.run(command);
        for (const std::string& part : {fmt::format("as far as {} precision can", precision),
                                        std::string("backward error"), std::string("eps |A| |x| / |b| = ")}) {
            EXPECT_NE(unwrapped(run.out).find(part), std::string::npos) << part << " in\n" << run.out;
        }
        const std::string page = folder.read("r.html");
        for (const char* part : {"precision can", "backward error", "attainable", "condition"}) {
            EXPECT_NE(page.find(part), std::string::npos) << part;
        }
    }
}

TEST_F(AccuracyReport, IsThereWhateverEndsTheSolve) {
    const auto check = [&](const Words& words, int exit_code) {
        const Json report = report_of(words, exit_code);
        EXPECT_TRUE(report["result"]["backward_error"].is_number()) << report["result"];
        EXPECT_TRUE(report["result"]["condition"].is_number()) << report["result"];
        EXPECT_EQ(report["columns"][0]["backward_error"], report["result"]["backward_error"]);
        EXPECT_EQ(report["columns"][0]["attainable_residual"], report["result"]["attainable_residual"]);
    };
    check({}, 0);
    check({"--max-iterations", "7", "--preconditioner", "none"}, 3);
    check({"--rtol", "1e-30", "--rhs", "random"}, 3);
    // With nothing iterated there is x, the guess, and no condition.
    const Json none = report_of({"--time-limit", "0"}, 3);
    EXPECT_EQ(none["result"]["backward_error"], 1);
    EXPECT_TRUE(none["result"]["condition"].is_null());
    // Nor has an indefinite matrix one.
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 3\n2 2 1\n");
    const Json indefinite = report_of({"--rhs", "random:3", "--preconditioner", "none"}, 4);
    EXPECT_TRUE(indefinite["result"]["condition"].is_null()) << indefinite["result"];
}

TEST_F(AccuracyReport, ColumnsHaveTheirOwnAndTheReportTheWorst) {
    for (const char* solver : {"cg", "block-cg"}) {
        const Json report = report_of({"--rhs", "random:3", "--solver", solver});
        double worst = 0;
        for (const Json& column : report["columns"]) worst = std::max(worst, column["backward_error"].get<double>());
        EXPECT_GT(worst, 0);
        EXPECT_EQ(report["result"]["backward_error"], worst);
    }
}

/// A singular stiffness matrix, and b outside its range.
TEST_F(AccuracyReport, WhatIsStuckIsNotCalledAsGoodAsThePrecisionAllows) {
    const std::string matrix = real_matrix_path("abaqus_l9h2_K");
    if (!std::filesystem::exists(matrix)) GTEST_SKIP() << "no real matrices at " << real_matrices_folder();
    for (const char* preconditioner : {"none", "jacobi"}) {
        const Finished run = folder.run({"solve", matrix, "--rhs", "random", "--preconditioner", preconditioner,
                                         "--max-iterations", "20000", "--json", "j.json"});
        EXPECT_GE(run.exit_code, 3);
        const Json result = Json::parse(folder.read("j.json"))["result"];
        EXPECT_NE(result["evidence"], "rounding") << run.out;
        EXPECT_GT(result["backward_error"].get<double>(), 16 * eps);
        EXPECT_EQ(result["reason"] == "stagnated", run.out.find("stuck") != std::string::npos) << run.out;
    }
}

TEST_F(AccuracyReport, EigenpairsHaveABackwardError) {
    const auto pairs_of = [&](const char* rtol, int exit_code) {
        const Finished run =
            folder.run({"eigen", "a.mtx", "--count", "2", "--rtol", rtol, "--json", "e.json", "--report", "e.html"});
        EXPECT_EQ(run.exit_code, exit_code) << run.out << run.err;
        EXPECT_NE(folder.read("e.html").find("backward error"), std::string::npos);
        const Json report = Json::parse(folder.read("e.json"));
        double worst = 0;
        for (const Json& pair : report["pairs"]) {
            const double absolute = pair["relative_residual"].get<double>() * pair["value"].get<double>();
            const double error = pair["backward_error"];
            EXPECT_NEAR(error * report["result"]["norm_estimate"].get<double>(), absolute, 1e-9 * absolute);
            worst = std::max(worst, error);
        }
        EXPECT_EQ(report["result"]["largest_backward_error"], worst);
        EXPECT_EQ(unwrapped(run.out).find("as far as double precision can") != std::string::npos, exit_code == 3)
            << run.out;
        return worst;
    };
    EXPECT_LE(pairs_of("1e-6", 0), 1e-9);
    EXPECT_LE(pairs_of("1e-16", 3), 1000 * eps);
}

}  // namespace
}  // namespace stiefel::test
