// `stiefel solve` with many right-hand sides.

#include "cli/html_page.hpp"
#include "cli/poisson_command.hpp"
#include "stiefel/core/cuda.hpp"

#include <cctype>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace stiefel::test {
namespace {

std::string array_text(const std::vector<double>& values, int rows, int columns) {
    std::ostringstream text;
    text.precision(17);
    text << "%%MatrixMarket matrix array real general\n" << rows << " " << columns << "\n";
    for (const double value : values) text << value << "\n";
    return text.str();
}

class ManyColumns : public PoissonCommand {
protected:
    static constexpr int n = 150;
    static constexpr int k = 5;

    /// Column after column.
    static std::vector<double> right_hand_sides() {
        std::vector<double> b;
        for (int j = 0; j < k; ++j) {
            for (int i = 0; i < n; ++i) b.push_back(j == 3 ? 0.0 : std::sin(1.0 + i * (j + 1)));  // column 4 is zero
        }
        return b;
    }

    static std::vector<double> column(const std::vector<double>& values, int j) {
        return {values.begin() + j * n, values.begin() + (j + 1) * n};
    }

    ManyColumns() : PoissonCommand("solve", n) { folder.write("b.mtx", array_text(right_hand_sides(), n, k)); }

    /// Whether x.mtx holds a solution for every column, as the report says.
    void expect_solved(const Json& report) {
        const std::vector<double> b = right_hand_sides();
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        ASSERT_EQ(x.size(), b.size());
        ASSERT_EQ(report["columns"].size(), static_cast<std::size_t>(k));
        for (int j = 0; j < k; ++j) {
            const Json& told = report["columns"][static_cast<std::size_t>(j)];
            EXPECT_EQ(told["reason"], "converged") << j;
            if (j == 3) {
                for (const double value : column(x, j)) EXPECT_EQ(value, 0.0);
                continue;
            }
            const TrueResidual residual = true_residual(folder / "a.mtx", column(x, j), column(b, j));
            EXPECT_TRUE(residual.relative <= 1e-8 + residual.rounding) << j << ": " << residual.relative;
            const double reported = told["relative_residual"];
            EXPECT_TRUE(std::abs(reported - residual.relative) <= residual.rounding) << j << ": " << reported;
        }
    }
};

TEST_F(ManyColumns, OneAfterAnotherOrTogetherSolvesForAll) {
    for (const char* solver : {"cg", "block-cg", "both"}) {
        for (const char* backend : {"serial", "openmp"}) {
            SCOPED_TRACE(std::string(solver) + " on " + backend);
            const Json report = report_of({"--rhs", "b.mtx", "--solver", solver, "--backend", backend, "-o", "x.mtx"});
            expect_solved(report);
            EXPECT_EQ(report["one_by_one"].is_null(), std::string(solver) != "both");
        }
    }
}

TEST_F(ManyColumns, BlocksOfAnySize) {
    for (const char* block : {"1", "2", "5", "64"}) {
        const Json report = report_of({"--rhs", "b.mtx", "--solver", "block-cg", "--block", block, "-o", "x.mtx"});
        SCOPED_TRACE(block);
        expect_solved(report);
    }
}

TEST_F(ManyColumns, TheBlockNeedsFewerIterations) {
    const Json report = report_of({"--rhs", "random:8", "--solver", "both", "--preconditioner", "none", "-o", "x.mtx"});
    EXPECT_LT(report["result"]["iterations"].get<int>() * 4, report["one_by_one"]["iterations"].get<int>());
    EXPECT_GT(report["one_by_one"]["seconds"].get<double>(), 0);
    EXPECT_TRUE(report["one_by_one"]["relative_residual"].get<double>() <= 1e-8);
}

TEST_F(ManyColumns, TheFormatIsChosenForThePanelsThatItMultiplies) {
    folder.write("large.mtx", poisson_text(50000));
    const auto reason = [&](const Words& more) {
        Words words{"solve", "large.mtx", "--rhs",  "random:5", "--max-iterations",
                    "1",     "--backend", "openmp", "--json",   "j.json"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(folder.run(words).exit_code, 3);
        return Json::parse(folder.read("j.json"))["method"]["kernel_reason"].get<std::string>();
    };
    EXPECT_NE(reason({"--solver", "block-cg"}).find("for 5 columns"), std::string::npos);
    EXPECT_NE(reason({"--solver", "both", "--block", "3"}).find("for 3 columns"), std::string::npos);
    EXPECT_EQ(reason({"--solver", "cg"}).find("columns"), std::string::npos);
}

TEST_F(ManyColumns, WhereTheHostComputesNothingIsUploaded) {
    for (const char* solver : {"cg", "block-cg"}) {
        const Json report = report_of({"--rhs", "b.mtx", "--solver", solver, "--backend", "openmp"});
        EXPECT_EQ(report["seconds"]["upload"], 0.0);
        EXPECT_EQ(report["seconds"]["download"], 0.0);
    }
}

TEST_F(ManyColumns, UploadAndDownloadAreTimedOnADevice) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    for (const char* solver : {"cg", "block-cg"}) {
        const Json report = report_of({"--rhs", "b.mtx", "--solver", solver, "--backend", "cuda"});
        EXPECT_GT(report["seconds"]["upload"].get<double>(), 0.0);
        EXPECT_GT(report["seconds"]["download"].get<double>(), 0.0);
    }
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

TEST_F(ManyColumns, GoesOnFromAGuess) {
    report_of({"--rhs", "b.mtx", "--rtol", "1e-8", "-o", "x.mtx"});
    for (const char* solver : {"cg", "block-cg"}) {
        const Json report =
            report_of({"--rhs", "b.mtx", "--solver", solver, "--rtol", "1e-7", "--guess", "x.mtx", "-o", "y.mtx"});
        EXPECT_EQ(report["result"]["iterations"], 0) << solver;
    }
}

TEST_F(ManyColumns, ReportForPeopleHasALineForEachColumn) {
    const Finished run = folder.run({"solve", "a.mtx", "--rhs", "b.mtx", "--solver", "both"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    for (const char* part :
         {"5 columns", "block conjugate gradients", "all 5 columns converged in ", "one after another   ",
          "times as fast as one after another", "a column", "block_cg_direction"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
    }
    for (int j = 1; j <= k; ++j)
        EXPECT_NE(run.out.find(std::string("\n") + std::to_string(j) + "  "), std::string::npos) << j;

    // The longest name leaves the columns of the kernels where the others have them.
    std::istringstream lines(run.out);
    std::size_t calls_end = 0;
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("kernel ")) calls_end = line.find("calls") + 5;
        if (!line.starts_with("block_cg_")) continue;
        ++rows;
        ASSERT_LT(calls_end, line.size()) << line;
        EXPECT_TRUE(std::isdigit(line[calls_end - 1]) != 0 && line[calls_end] == ' ') << line;
    }
    EXPECT_EQ(rows, 4);
}

TEST_F(ManyColumns, HtmlReportHasARowForEachColumnAndComparesBothWays) {
    const Json report = report_of({"--rhs", "b.mtx", "--solver", "both", "--report", "r.html"});
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    for (const char* part : {"Right-hand sides", "Both ways", "<tr><td>together</td>", "<tr><td>one after another</td>",
                             "times as fast as one after another", "block conjugate gradients", "5 columns"}) {
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
    for (std::size_t j = 0; j < k; ++j) {
        std::ostringstream row;
        row << "<tr><td>" << j + 1 << "</td><td class=\"figures\">" << std::setprecision(3)
            << report["columns"][j]["rhs_norm"].get<double>() << "</td><td class=\"figures\">"
            << report["columns"][j]["iterations"] << "</td>";
        EXPECT_NE(page.find(row.str()), std::string::npos) << row.str() << " in\n" << page;
    }
    report_of({"--rhs", "b.mtx", "--report", "one_way.html"});
    EXPECT_EQ(folder.read("one_way.html").find("Both ways"), std::string::npos);
}

TEST_F(ManyColumns, SaysHowManyConverged) {
    const Finished run =
        folder.run({"solve", "a.mtx", "--rhs", "b.mtx", "--max-iterations", "3", "--preconditioner", "jacobi"});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.out.find("1 of 5 columns did"), std::string::npos) << run.out;
}

TEST_F(ManyColumns, NamesWhatIsWrong) {
    const auto expect_failure = [&](Words words, int exit_code, const Words& parts) {
        words.insert(words.begin(), {"solve", "a.mtx"});
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, exit_code);
        for (const std::string& part : parts) {
            EXPECT_NE(run.err.find(part), std::string::npos) << part << " in\n" << run.err;
        }
    };
    for (const char* wrong : {"random:0", "random:-1", "random:x", "random:", "random:2.5"}) {
        expect_failure({"--rhs", wrong}, 1, {std::string("--rhs ") + wrong, "number of columns"});
    }
    expect_failure({"--rhs", "b.mtx", "--solver", "block-cg", "--block", "0"}, 1, {"--block"});
    expect_failure({"--rhs", "b.mtx", "--solver", "block-cg", "--block", "65"}, 1, {"--block"});
    expect_failure({"--rhs", "a.mtx"}, 2, {"a.mtx", "expected an array, or a coordinate matrix", "150 x 150"});
    folder.write("short.mtx", array_text({1, 2, 3, 4}, 2, 2));
    expect_failure({"--rhs", "short.mtx"}, 2, {"short.mtx", "150 rows", "found 2 x 2"});
    folder.write("one.mtx", array_text(std::vector<double>(n, 1.0), n, 1));
    expect_failure({"--rhs", "b.mtx", "--guess", "one.mtx"}, 2, {"one.mtx", "1 column", "5"});
    folder.write("none.mtx", array_text({}, n, 0));
    expect_failure({"--rhs", "none.mtx"}, 2, {"none.mtx", "at least 1 column", "found 150 x 0"});
    std::vector<double> nan = right_hand_sides();
    std::string text = array_text(nan, n, k);
    text.replace(text.find("150 5\n") + 6, text.find('\n', text.find("150 5\n") + 6) - text.find("150 5\n") - 6, "nan");
    folder.write("nan.mtx", text);
    expect_failure({"--rhs", "nan.mtx", "--solver", "block-cg"}, 2, {"nan.mtx:3"});
}

}  // namespace
}  // namespace stiefel::test
