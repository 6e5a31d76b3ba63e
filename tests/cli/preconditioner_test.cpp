// What reports tell of the preconditioner: its levels, its set-up, what an iteration with it gained.

#include "cli/html_page.hpp"
#include "cli/poisson_command.hpp"

#include <cmath>

namespace stiefel::test {
namespace {

constexpr int n = 3000;

class PreconditionerReport : public PoissonCommand {
protected:
    PreconditionerReport() : PoissonCommand("solve", n) {}
};

TEST_F(PreconditionerReport, TellsLevelsAndSetup) {
    const Json about = report_of({"--preconditioner", "amg"})["preconditioner"];
    const Json& levels = about["levels"];
    ASSERT_GE(levels.size(), 3u);
    EXPECT_EQ(levels[0]["rows"], n);
    EXPECT_EQ(levels[0]["nonzeros"], 3 * n - 2);
    double rows = 0, nonzeros = 0, bytes = 0, seconds = 0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        EXPECT_TRUE(l == 0 || levels[l]["rows"] < levels[l - 1]["rows"]);
        rows += levels[l]["rows"].get<double>();
        nonzeros += levels[l]["nonzeros"].get<double>();
        bytes += levels[l]["bytes"].get<double>();
        seconds += levels[l]["seconds"].get<double>();
        EXPECT_GT(levels[l]["bytes"], levels[l]["nonzeros"].get<double>()) << "of matrix and vectors";
    }
    EXPECT_NEAR(about["grid_complexity"], rows / n, 1e-12);
    EXPECT_NEAR(about["operator_complexity"], nonzeros / (3 * n - 2), 1e-12);
    EXPECT_GE(about["bytes"], bytes);
    EXPECT_GT(seconds, 0);
    EXPECT_LE(seconds, about["seconds"]);
    double steps = 0;
    for (const Json& step : about["setup"]) steps += step["seconds"].get<double>();
    EXPECT_EQ(about["setup"].size(), 6u);
    EXPECT_GT(steps, 0);
    EXPECT_LE(steps, about["seconds"]);
}

TEST_F(PreconditionerReport, OthersHaveNoLevels) {
    const Json about = report_of({"--preconditioner", "jacobi"})["preconditioner"];
    EXPECT_TRUE(about["levels"].empty() && about["setup"].empty());
    EXPECT_TRUE(about["operator_complexity"].is_null() && about["grid_complexity"].is_null());
}

/// The residual begins as that of the guess, not as |b|.
TEST_F(PreconditionerReport, ConvergenceFactorIsOfTheTrueResidual) {
    const auto factor = [](const Json& report) {
        return report["preconditioner"]["runs"][0]["convergence_factor"].get<double>();
    };
    const auto residual = [](const Json& report) { return report["result"]["relative_residual"].get<double>(); };
    const auto iterations = [](const Json& report) { return report["result"]["iterations"].get<double>(); };
    const Json first = report_of({"--preconditioner", "amg", "--rtol", "1e-4", "-o", "x.mtx"});
    EXPECT_NEAR(factor(first), std::pow(residual(first), 1 / iterations(first)), 1e-9);
    const Json rest = report_of({"--preconditioner", "amg", "--guess", "x.mtx"});
    EXPECT_NEAR(factor(rest), std::pow(residual(rest) / residual(first), 1 / iterations(rest)), 1e-6);
    const Json done = report_of({"--rtol", "1e-3", "--guess", "x.mtx"});
    EXPECT_TRUE(done["preconditioner"]["runs"][0]["convergence_factor"].is_null()) << "nothing was iterated";
}

TEST_F(PreconditionerReport, OfManyColumnsIsTheirMean) {
    for (const char* solver : {"cg", "block-cg"}) {
        const Json report = report_of({"--preconditioner", "amg", "--rhs", "random:3", "--solver", solver});
        double logs = 0, iterations = 0;
        for (const Json& column : report["columns"]) {
            logs += std::log(column["relative_residual"].get<double>());
            iterations += column["iterations"].get<double>();
        }
        const Json& run = report["preconditioner"]["runs"][0];
        EXPECT_NEAR(run["convergence_factor"], std::exp(logs / iterations), 1e-9) << solver;
        EXPECT_EQ(run["iterations"], report["result"]["iterations"]) << solver;
    }
}

TEST_F(PreconditionerReport, PeopleSeeItToo) {
    const Finished run = folder.run({"solve", "a.mtx", "--preconditioner", "amg", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    for (const char* part : {"operator complexity", "grid complexity", "convergence factor 0.", "aggregate", "3,000"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
}

/// What --solver both does after the first way is part of the time as well.
TEST_F(PreconditionerReport, TheOtherWayIsTimed) {
    const Json seconds = report_of({"--rhs", "random:2", "--solver", "both"})["seconds"];
    EXPECT_GT(seconds["compare"], 0.0);
    EXPECT_EQ(report_of({"--rhs", "random:2"})["seconds"]["compare"], 0.0);
    EXPECT_NE(folder.run({"solve", "a.mtx", "--rhs", "random:2", "--solver", "both"}).out.find("the other way "),
              std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
