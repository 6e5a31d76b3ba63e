// `stiefel eigen` as a user runs it: what it writes, what its report says, what it refuses.

#include "cli/documented_json.hpp"
#include "cli/html_page.hpp"
#include "cli/poisson_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace stiefel::test {
namespace {

class EigenCommand : public PoissonCommand {
protected:
    static constexpr int n = 400;
    static double poisson_value(int k) { return 2 - 2 * std::cos(M_PI * (k + 1) / (n + 1)); }

    EigenCommand() : PoissonCommand("eigen", n) {}

    Finished refused(Words words, int expected_exit) {
        words.insert(words.begin(), "eigen");
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, expected_exit) << run.out << run.err;
        return run;
    }
};

TEST_F(EigenCommand, FindsBothEndsByEveryMethod) {
    for (const Words& method :
         {Words{"--preconditioner", "none"}, Words{"--preconditioner", "jacobi"},
          Words{"--preconditioner", "chebyshev"}, Words{"--preconditioner", "amg"},
          Words{"--preconditioner", "shifted-chebyshev"}, Words{"--method", "subspace", "--degree", "40"}}) {
        const bool is_near_inverse = method.back() == "chebyshev" || method.back() == "amg";
        for (const bool largest : {false, true}) {
            if (largest && is_near_inverse) continue;
            Words words{"--count", "2", "--which", largest ? "largest" : "smallest", "--rtol", "1e-6"};
            words.insert(words.end(), method.begin(), method.end());
            const Json report = report_of(words);
            for (int j = 0; j < 2; ++j) {
                const double exact = poisson_value(largest ? n - 1 - j : j);
                const double value = report["pairs"][static_cast<std::size_t>(j)]["value"];
                EXPECT_TRUE(std::abs(value - exact) <= 1e-6 * exact) << value << ", not " << exact;
            }
        }
    }
}

TEST_F(EigenCommand, WritesVectorsWhoseResidualsAreTheReportedOnes) {
    const Json report = report_of({"--count", "3", "-o", "v.mtx", "--backend", "serial"});
    EXPECT_EQ(report["result"]["vectors"], "v.mtx");
    std::istringstream file(folder.read("v.mtx"));
    std::string line;
    while (std::getline(file, line) && line.starts_with('%')) continue;
    EXPECT_EQ(line, "400 3");
    for (std::size_t j = 0; j < 3; ++j) {
        std::vector<long double> v(n);
        for (long double& element : v) file >> element;
        const long double value = report["pairs"][j]["value"].get<double>();
        long double residual2 = 0, length2 = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const long double neighbours = (i > 0 ? v[i - 1] : 0) + (i + 1 < n ? v[i + 1] : 0);
            const long double r = 2 * v[i] - neighbours - value * v[i];
            residual2 += r * r;
            length2 += v[i] * v[i];
        }
        const long double relative = std::sqrt(residual2) / value;
        EXPECT_TRUE(std::abs(length2 - 1) <= 1e-13L);
        EXPECT_TRUE(relative <= 1e-8L + 1e-15L / value) << relative;
        EXPECT_TRUE(std::abs(relative - report["pairs"][j]["relative_residual"].get<double>()) <= 1e-15L / value);
    }
}

TEST_F(EigenCommand, ReportForPeopleTellsTheOutcome) {
    const Finished run = folder.run({"eigen", "a.mtx", "--count", "2"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    for (const char* part : {"a.mtx", "400 x 400", "2 eigenpairs that are smallest", "2 pairs converged in ",
                             "eigenvalue", "6.1377", "spmm", "total"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
    }
    const Finished quiet = folder.run({"eigen", "a.mtx", "--quiet"});
    EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(EigenCommand, AutoTakesMultigridForTheSmallestPairsOfDefiniteMatrices) {
    folder.run({"generate", "poisson2d", "40", "40", "-o", "p.mtx"});
    const auto preconditioner = [&](const Words& words) {
        Words all{"eigen", "p.mtx", "--count", "3", "--json", "report.json"};
        all.insert(all.end(), words.begin(), words.end());
        const Finished run = folder.run(all);
        EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
        return Json::parse(folder.read("report.json"));
    };
    const Json smallest = preconditioner({});
    EXPECT_EQ(smallest["method"]["preconditioner"], "amg");
    EXPECT_GE(smallest["preconditioner"]["levels"].size(), 2u);
    EXPECT_LT(smallest["result"]["iterations"].get<int>(), 40);
    EXPECT_EQ(preconditioner({"--which", "largest"})["method"]["preconditioner"], "shifted-chebyshev");
    folder.run({"generate", "poisson2d", "9", "9", "-o", "p.mtx"});
    EXPECT_EQ(preconditioner({})["method"]["preconditioner"], "none");
}

TEST_F(EigenCommand, AnIndefiniteMatrixWithAPositiveDiagonalIsNotForMultigrid) {
    constexpr int m = 30;  // the 5-point Laplacian of a square of m x m points, less 0.03 I
    std::string text =
        fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n", m * m, 3 * m * m - 2 * m);
    for (int i = 1; i <= m * m; ++i) {
        text += fmt::format("{0} {0} 3.97\n", i);
        if (i % m != 0) text += fmt::format("{} {} -1\n", i + 1, i);
        if (i + m <= m * m) text += fmt::format("{} {} -1\n", i + m, i);
    }
    folder.write("i.mtx", text);
    const Finished run = folder.run({"eigen", "i.mtx", "--count", "1", "--rtol", "1e-6", "--json", "report.json"});
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    const Json report = Json::parse(folder.read("report.json"));
    EXPECT_EQ(report["method"]["preconditioner"], "shifted-chebyshev");
    EXPECT_EQ(report["method"]["preconditioner_reason"], "the first Ritz values show that A is not positive definite");
    EXPECT_NEAR(report["pairs"][0]["value"].get<double>(), 3.97 - 4 * std::cos(M_PI / (m + 1)), 1e-6);
}

// The contract of docs/cli.md: every key with its type, in one place.
TEST_F(EigenCommand, JsonKeepsItsContract) {
    const Json types = Json::parse(R"({
        "stiefel": "string", "command": "string",
        "run": {"command_line": "string", "date": "string", "host": "string", "processor": "string",
                "compiler": "string", "logical_processors": "integer", "system": "string", "commit": "string or null"},
        "matrix": {"path": "string", "n_rows": "integer", "n_cols": "integer", "nnz": "integer", "symmetry": "string",
                   "format": "string", "bytes": "integer"},
        "backend": {"name": "string", "threads": "integer", "device": "string", "software": "string or null"},
        "method": {"method": "string", "which": "string", "count": "integer", "guards": "integer",
                   "preconditioner": "string", "preconditioner_reason": "string or null", "degree": "integer",
                   "precision": "string", "rtol": "real", "max_iterations": "integer", "time_limit": "real or null", "seed": "integer",
                   "kernel": "string", "kernel_reason": "string"},
        "result": {"reason": "string", "iterations": "integer", "restarts": "integer", "converged": "integer",
                   "largest_relative_residual": "real or null", "norm_estimate": "real or null", "largest_backward_error": "real or null", "exit_code": "integer",
                   "failure": "string or null", "vectors": "string or null"},
        "preconditioner": {"coarsening": "string or null", "smoother": "string or null", "cycle": "string or null", "precision": "string or null",
                           "block_size": "integer or null", "trial_quotient": "real or null", "near_null_space": "string or null", "levels": [], "operator_complexity": "real or null", "grid_complexity": "real or null", "factorisation": "null", "sparse_inverse": "null", "blocks": "null",
                           "setup": [], "seconds": "real", "bytes": "integer"},
        "pairs": [{"value": "real", "relative_residual": "real", "backward_error": "real", "reason": "string"}],
        "seconds": {"read": "real", "start": "real", "convert": "real", "setup": "real", "upload": "real", "solve": "real",
                    "download": "real", "write": "real", "total": "real", "compare": "real", "bandwidth": "real",
                    "choose": "real", "examine": "real", "sample": "real"},
        "kernels": [{"name": "string", "calls": "integer", "seconds": "real", "gbytes_per_s": "real", "gflops": "real",
                     "fraction_of_bandwidth": "real or null"}],
        "read_gbytes_per_s": "real or null", "peak_gflops": "null", "peak_memory_bytes": "integer", "ranks": "null", "notes": [], "failures": []})");
    const Json report = report_of({"--count", "3", "--preconditioner", "none"});
    expect_documented(types, report, "report");
    expect_named_in_docs(report);
    EXPECT_EQ(report["command"], "eigen");
    EXPECT_EQ(report["pairs"].size(), 3u);
    EXPECT_EQ(report["result"]["converged"], 3);
}

TEST_F(EigenCommand, SaysWhyNotAllPairsConverged) {
    const Json report = report_of({"--max-iterations", "2", "--preconditioner", "none"}, 3);
    EXPECT_EQ(report["result"]["reason"], "max_iterations");
    EXPECT_EQ(report["result"]["iterations"], 2);
    const Finished run = folder.run({"eigen", "a.mtx", "--max-iterations", "2"});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.out.find("--max-iterations 20"), std::string::npos) << run.out;
}

TEST_F(EigenCommand, WritesTheHistory) {
    report_of({"--history", "h.csv", "--max-iterations", "4", "--preconditioner", "none"}, 3);
    const std::string text = folder.read("h.csv");
    EXPECT_TRUE(text.starts_with("iteration,relative_residual\n0,")) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST_F(EigenCommand, HtmlReportShowsThePairsAndStandsAlone) {
    const Json report = report_of({"--count", "3", "--rtol", "1e-6", "--report", "r.html", "-o", "v.mtx"});
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    for (const char* part : {"<svg", "class=\"curve\" d=\"M", "3 pairs converged in", "v.mtx", "spmm",
                             "the 3 eigenpairs that are smallest", "stiefel eigen a.mtx --json j.json --count 3"}) {
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
    ASSERT_EQ(report["pairs"].size(), 3u);
    for (const Json& pair : report["pairs"]) {
        std::ostringstream value;
        value.precision(12);
        value << pair["value"].get<double>();
        EXPECT_NE(page.find(value.str().substr(0, 10)), std::string::npos) << value.str();
    }
    EXPECT_EQ(page.find("ended as"), std::string::npos) << "all converged";

    report_of({"--max-iterations", "2", "--preconditioner", "none", "--report", "r.html"}, 3);
    const std::string unfinished = folder.read("r.html");
    expect_self_contained(unfinished);
    for (const char* part : {"class=\"outcome bad\"", "ended as", "max_iterations", "--max-iterations 20"}) {
        EXPECT_NE(unfinished.find(part), std::string::npos) << part;
    }
}

TEST_F(EigenCommand, HtmlReportOfADenseMethodHasNoPlot) {
    folder.write("a.mtx", poisson_text(10));
    report_of({"--report", "r.html"});
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    EXPECT_NE(page.find("found by a dense method"), std::string::npos);
    EXPECT_EQ(page.find("class=\"curve\""), std::string::npos);
}

TEST_F(EigenCommand, RefusesWithTheFlagAndTheWayOut) {
    const auto said = [&](Words words, int code, const std::string& part) {
        const Finished run = refused(words, code);
        EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
    };
    said({"a.mtx", "--count", "0"}, 1, "--count");
    said({"a.mtx", "--count", "65"}, 1, "--count");
    said({"a.mtx", "--rtol", "1"}, 1, "--rtol: expected a number of at least 0 and below 1");
    folder.write("small.mtx", poisson_text(5));
    said({"small.mtx"}, 1, "--count 6: small.mtx has only 5 rows");
    said({"a.mtx", "--which", "magnitude"}, 1, "--method subspace");
    said({"a.mtx", "--method", "power"}, 1, "--count 1");
    said({"a.mtx", "--method", "subspace", "--preconditioner", "jacobi"}, 1, "--preconditioner");
    said({"a.mtx", "--which", "largest", "--preconditioner", "amg"}, 1, "shifted-chebyshev");
    said({"a.mtx", "--kernel", "wrong"}, 1, "--kernel wrong");
    said({"a.mtx", "-o", "a.mtx"}, 1, "--output");
    said({"missing.mtx"}, 2, "missing.mtx");
    folder.write("skewed.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 5\n2 2 1\n");
    said({"skewed.mtx", "--count", "1"}, 2, "'stiefel eigen' needs a symmetric one; 'stiefel info skewed.mtx'");
    folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n");
    said({"wide.mtx", "--count", "1"}, 2, "'stiefel eigen' needs a square one");
    folder.write("broken.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 x 1\n");
    said({"broken.mtx", "--count", "1"}, 2, "broken.mtx:3:3");
    folder.write("hollow.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n");
    said({"hollow.mtx", "--count", "1", "--preconditioner", "jacobi"}, 1, "--preconditioner jacobi");
    EXPECT_EQ(refused({"hollow.mtx", "--count", "2"}, 0).err, "");
}

}  // namespace
}  // namespace stiefel::test
