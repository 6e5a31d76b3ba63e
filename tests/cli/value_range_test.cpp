// Matrices and right-hand sides at the ends of the range of numbers: SPD systems are solved, and nothing is said of the
// matrix that is not so.

#include "cli/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// tridiag(-1, 2, -1) times 10^power.
std::string tridiagonal(int n, int power) {
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n", n, 2 * n - 1);
    for (int i = 1; i <= n; ++i) {
        text += fmt::format("{0} {0} 2e{1}\n", i, power);
        if (i < n) text += fmt::format("{} {} -1e{}\n", i + 1, i, power);
    }
    return text;
}

std::string diagonal(const std::vector<std::string>& values) {
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {0}\n", values.size());
    for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("{0} {0} {1}\n", i + 1, values[i]);
    return text;
}

std::string column(const std::vector<std::string>& values) {
    std::string text = "%%MatrixMarket matrix array real general\n" + std::to_string(values.size()) + " 1\n";
    for (const std::string& value : values) text += value + "\n";
    return text;
}

class ValueRange : public ::testing::Test {
protected:
    Finished run(Words words, int expected_exit) {
        words.insert(words.end(), {"--backend", "serial", "--json", "report.json"});
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, expected_exit) << run.out << run.err;
        return run;
    }
    Json report() const { return Json::parse(folder.read("report.json")); }

    Folder folder;
};

TEST_F(ValueRange, TinyAndHugeSystemsAreSolved) {
    folder.write("d.mtx", diagonal({"1e-250", "1e-250"}));
    folder.write("b.mtx", column({"1e-60", "2e-60"}));
    run({"solve", "d.mtx", "--rhs", "b.mtx", "-o", "x.mtx"}, 0);
    EXPECT_NEAR(report()["result"]["rhs_norm"].get<double>() * 1e60, std::sqrt(5), 1e-12);
    for (const int power : {-300, -200, 200, 300}) {
        folder.write("t.mtx", tridiagonal(60, power));
        for (const std::string solver : {"cg", "block-cg"}) {
            for (const std::string preconditioner : {"none", "jacobi"}) {
                SCOPED_TRACE(std::to_string(power) + solver + preconditioner);
                run({"solve", "t.mtx", "--rhs", "consistent", "--solver", solver, "--preconditioner", preconditioner},
                    0);
                EXPECT_LE(report()["result"]["error"].get<double>(), 1e-4);
            }
        }
    }
}

TEST_F(ValueRange, SinglePrecisionSolvesWhatItCouldNotEvenRead) {
    for (const int power : {-50, -25, 30, 50}) {
        SCOPED_TRACE(power);
        folder.write("t.mtx", tridiagonal(60, power));
        run({"solve", "t.mtx", "--precision", "single", "--rtol", "1e-5", "--rhs", "consistent"}, 0);
        EXPECT_LE(report()["result"]["error"].get<double>(), 0.02);
        const double one = std::pow(10.0, power);
        EXPECT_NEAR(report()["result"]["rhs_norm"].get<double>() / one, std::sqrt(2), 1e-5);
        Words b(60, "0");
        b.front() = b.back() = "1e" + std::to_string(power);
        folder.write("b.mtx", column(b));
        run({"solve", "t.mtx", "--precision", "single", "--rtol", "1e-5", "--rhs", "b.mtx"}, 0);
        const double atol = 0.1 * one * std::sqrt(2);  // a tenth of |b|
        run({"solve", "t.mtx", "--precision", "single", "--rhs", "b.mtx", "--rtol", "0", "--atol",
             fmt::format("{}", atol)},
            0);
        EXPECT_LE(report()["result"]["relative_residual"].get<double>(), 0.1001);
    }
}

TEST_F(ValueRange, WhatSinglePrecisionHasNoRoomForIsSentToDouble) {
    folder.write("wide.mtx", diagonal({"1e-300", "1", "1"}));
    const Finished matrix = run({"solve", "wide.mtx", "--precision", "single"}, 2);
    EXPECT_NE(matrix.err.find("--precision double"), std::string::npos) << matrix.err;
    EXPECT_EQ(matrix.err.find("not positive definite"), std::string::npos) << matrix.err;
    folder.write("d.mtx", diagonal({"1", "1"}));
    folder.write("b.mtx", column({"1e-60", "2e-60"}));
    const Finished rhs = run({"solve", "d.mtx", "--precision", "single", "--rhs", "b.mtx"}, 2);
    EXPECT_NE(rhs.err.find("--precision double"), std::string::npos) << rhs.err;
    run({"solve", "wide.mtx", "--preconditioner", "jacobi"}, 0);
    folder.write("wider.mtx", diagonal({"1e-300", "1", "1e300"}));
    for (const std::string preconditioner : {"none", "jacobi"}) {
        const Finished spread = folder.run({"solve", "wider.mtx", "--preconditioner", preconditioner});
        EXPECT_EQ((spread.out + spread.err).find("not positive definite"), std::string::npos) << spread.out;
        EXPECT_EQ(spread.exit_code, preconditioner == "jacobi" ? 0 : 4);  // else singular to working precision
    }
}

TEST_F(ValueRange, EigenvaluesOfHugeMatricesAreFound) {
    for (const int n : {60, 300}) {  // by a dense method, and by iteration
        for (const int power : {-250, 200}) {
            SCOPED_TRACE(power);
            folder.write("t.mtx", tridiagonal(n, power));
            for (const std::string which : {"smallest", "largest"}) {
                run({"eigen", "t.mtx", "--which", which, "--count", "1", "--rtol", "1e-6"}, 0);
                const double exact = 2 - 2 * std::cos(M_PI * (which == "smallest" ? 1 : n) / (n + 1));
                const double value = report()["pairs"][0]["value"];
                EXPECT_TRUE(std::abs(value / std::pow(10.0, power) - exact) <= 2e-6 * exact) << value;
            }
        }
    }
}

TEST_F(ValueRange, ACacheKeepsTheScaleAsWell) {
    folder.write("t.mtx", tridiagonal(60, -50));
    for (const std::string when : {"written", "read"}) {
        run({"solve", "t.mtx", "--precision", "single", "--rtol", "1e-5", "--rhs", "consistent", "--cache"}, 0);
        EXPECT_NEAR(report()["result"]["rhs_norm"].get<double>() * 1e50, std::sqrt(2), 1e-5) << when;
    }
    EXPECT_NE(report()["notes"].dump().find("taken from the cache"), std::string::npos);
    EXPECT_NE(report()["notes"].dump().find("divided by 2^-166"), std::string::npos) << report()["notes"];
}

TEST_F(ValueRange, SinglePrecisionReadsStandardInputOnce) {
    const Finished finished = folder.run({"eigen", "-", "--precision", "single", "--count", "1", "--rtol", "1e-4",
                                          "--which", "largest", "--backend", "serial", "--json", "report.json"},
                                         {.input = tridiagonal(300, 60)});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    const double exact = 2 - 2 * std::cos(M_PI * 300 / 301);
    EXPECT_NEAR(report()["pairs"][0]["value"].get<double>() / 1e60, exact, 5e-4);
}

}  // namespace
}  // namespace stiefel::test
