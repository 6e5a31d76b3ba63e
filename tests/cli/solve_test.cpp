// `stiefel solve` as a user runs it: what it reads, what it writes, what its report says.

#include "cli/documented_json.hpp"
#include "cli/html_page.hpp"
#include "cli/poisson_command.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/spmv/formats.hpp"
#include "test_paths.hpp"

#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

namespace stiefel::test {
namespace {

class Solve : public PoissonCommand {
protected:
    static constexpr int n = 200;
    const std::vector<double> ones = std::vector<double>(n, 1.0);

    Solve() : PoissonCommand("solve", n) {}
};

TEST_F(Solve, WritesXWhoseResidualIsTheReportedOne) {
    const Json report = report_of({"-o", "x.mtx"});
    const TrueResidual residual = true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), ones);
    const double reported = report["result"]["relative_residual"];
    EXPECT_TRUE(residual.relative <= 1e-8 + residual.rounding) << residual.relative;
    EXPECT_TRUE(std::abs(reported - residual.relative) <= residual.rounding) << reported;
}

TEST_F(Solve, ReportForPeopleTellsTheOutcome) {
    const Finished run = folder.run({"solve", "a.mtx", "--rhs", "consistent"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    for (const char* part : {"a.mtx", "200 x 200, 598 nonzeros", "converged in ",
                             "|b - A x| / |b| = ", "max |x - 1| = ", "spmv_dot", "total"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
    }
    EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << "no colours unless on a terminal";
}

TEST_F(Solve, QuietSaysNothing) {
    const Finished run = folder.run({"solve", "a.mtx", "--quiet", "-o", "x.mtx"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out + run.err, "");
    EXPECT_TRUE(folder.has("x.mtx"));
}

// The contract of docs/cli.md: every key with its type, in one place.
TEST_F(Solve, JsonKeepsItsContract) {
    const Json types = Json::parse(R"({
        "stiefel": "string", "command": "string",
        "run": {"command_line": "string", "date": "string", "host": "string", "processor": "string",
                "compiler": "string", "logical_processors": "integer", "system": "string", "commit": "string or null"},
        "matrix": {"path": "string", "n_rows": "integer", "n_cols": "integer", "nnz": "integer", "symmetry": "string",
                   "format": "string", "bytes": "integer"},
        "backend": {"name": "string", "threads": "integer", "device": "string", "software": "string or null"},
        "method": {"solver": "string", "preconditioner": "string", "precision": "string", "rtol": "real", "atol": "real",
                   "max_iterations": "integer", "time_limit": "real or null", "kernel": "string",
                   "kernel_reason": "string", "preconditioner_reason": "string or null", "preconditioner_summary": "string or null", "rhs": "string", "guess": "string or null",
                   "reorder": "string", "reorder_reason": "string or null", "scale": "string", "scale_reason": "string or null"},
        "result": {"reason": "string", "evidence": "string or null", "iterations": "integer", "relative_residual": "real",
                   "recurrence_residual": "real", "rhs_norm": "real", "restarts": "integer", "error": "real or null",
                   "exit_code": "integer", "failure": "string or null", "solution": "string or null",
                   "matrix_norm": "real or null", "condition": "real or null", "backward_error": "real or null",
                   "attainable_residual": "real or null", "scaled_solves_continued": "integer"},
        "preconditioner": {"candidates": [], "runs": [{"preconditioner": "string", "iterations": "integer", "seconds": "real",
                                     "convergence_factor": "real or null", "condition": "real or null"}],
                           "coarsening": "string or null", "smoother": "string or null", "cycle": "string or null", "precision": "string or null",
                           "block_size": "integer or null", "trial_quotient": "real or null", "near_null_space": "string or null",
                           "levels": [{"rows": "integer", "nonzeros": "integer", "visits": "integer", "bytes": "integer", "seconds": "real"}],
                           "operator_complexity": "real or null", "grid_complexity": "real or null", "sparse_inverse": "null", "blocks": "null", "factorisation": "null",
                           "setup": [{"step": "string", "seconds": "real"}], "seconds": "real", "bytes": "integer"},
        "columns": [{"reason": "string", "evidence": "string or null", "iterations": "integer", "relative_residual": "real or null",
                     "recurrence_residual": "real or null", "rhs_norm": "real or null", "backward_error": "real or null",
                     "attainable_residual": "real or null"}],
        "one_by_one": "null or null",
        "seconds": {"read": "real", "start": "real", "convert": "real", "setup": "real", "upload": "real", "solve": "real",
                    "download": "real", "write": "real", "total": "real", "compare": "real", "bandwidth": "real",
                    "choose": "real", "examine": "real", "sample": "real"},
        "kernels": [{"name": "string", "calls": "integer", "seconds": "real", "gbytes_per_s": "real", "gflops": "real",
                     "fraction_of_bandwidth": "real or null"}],
        "read_gbytes_per_s": "real or null", "peak_gflops": "null", "peak_memory_bytes": "integer", "ranks": "null", "notes": [], "failures": []})");
    const Json report = report_of({"--rhs", "consistent", "-o", "x.mtx", "--preconditioner", "amg"});
    expect_documented(types, report, "report");
    expect_named_in_docs(report);
}

TEST_F(Solve, JsonSaysWhatWasDone) {
    const Json report = report_of({"--rtol", "1e-6", "--precision", "single", "--backend", "serial", "--preconditioner",
                                   "jacobi", "--max-iterations", "500", "--rhs", "consistent"});
    EXPECT_EQ(report["command"], "solve");
    EXPECT_EQ(report["matrix"]["path"], "a.mtx");
    EXPECT_EQ(report["matrix"]["n_rows"], n);
    EXPECT_EQ(report["matrix"]["n_cols"], n);
    EXPECT_EQ(report["matrix"]["nnz"], 3 * n - 2);
    EXPECT_EQ(report["matrix"]["symmetry"], "symmetric");
    EXPECT_EQ(report["backend"]["name"], "serial");
    EXPECT_EQ(report["backend"]["threads"], 1);
    EXPECT_EQ(report["method"]["solver"], "cg");
    EXPECT_EQ(report["method"]["preconditioner"], "jacobi");
    EXPECT_EQ(report["method"]["precision"], "single");
    EXPECT_EQ(report["method"]["rtol"], 1e-6);
    EXPECT_EQ(report["method"]["max_iterations"], 500);
    EXPECT_EQ(report["result"]["reason"], "converged");
    EXPECT_TRUE(report["result"]["relative_residual"].get<double>() <= 1e-6);
    EXPECT_TRUE(report["result"]["error"].get<double>() < 1.0);
    EXPECT_EQ(report["kernels"].size(), 3u);
    EXPECT_EQ(report["kernels"][0]["calls"], report["result"]["iterations"]);
    EXPECT_TRUE(report["kernels"][0]["gflops"].get<double>() > 0);
    EXPECT_TRUE(report["kernels"][0]["fraction_of_bandwidth"].is_null()) << "this matrix lies in the caches";
    EXPECT_TRUE(report["seconds"]["total"].get<double>() >= report["seconds"]["solve"].get<double>());
    EXPECT_EQ(report["seconds"]["upload"], 0.0) << "the matrix stays where it is";
    EXPECT_EQ(report["seconds"]["download"], 0.0);
    EXPECT_EQ(report["seconds"]["sample"], 0.0) << "all kernels are timed as they go";
}

TEST_F(Solve, UploadAndDownloadAreTimedOnADevice) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    const Json report = report_of({"--backend", "cuda"});
    EXPECT_EQ(report["backend"]["name"], "cuda");
    EXPECT_GT(report["seconds"]["upload"].get<double>(), 0.0);
    EXPECT_GT(report["seconds"]["download"].get<double>(), 0.0);
    EXPECT_GT(report["seconds"]["sample"].get<double>(), 0.0);
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

TEST_F(Solve, JsonOnStandardOutputIsAllThatIsThere) {
    const Finished run = folder.run({"solve", "a.mtx", "--json", "-"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(Json::parse(run.out)["result"]["reason"], "converged");
}

TEST_F(Solve, XOnStandardOutputIsAllThatIsThere) {
    const Finished run = folder.run({"solve", "a.mtx", "-o", "-"});
    EXPECT_EQ(run.exit_code, 0);
    folder.write("x.mtx", run.out);
    EXPECT_TRUE(true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), ones).relative <= 1e-8);
}

TEST_F(Solve, HistoryHasARowForEachIterationAndTheGuess) {
    const Json report = report_of({"--history", "h.csv"});
    std::istringstream csv(folder.read("h.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "iteration,relative_residual");
    int rows = 0;
    double last = 0;
    for (char comma; std::getline(csv, line); ++rows) {
        std::istringstream row(line);
        int iteration = -1;
        row >> iteration >> comma >> last;
        EXPECT_EQ(iteration, rows);
    }
    EXPECT_EQ(rows, report["result"]["iterations"].get<int>() + 1);
    EXPECT_EQ(last, report["result"]["recurrence_residual"].get<double>());
}

TEST_F(Solve, ReportsTellWhichRunTheyAreOf) {
    const Json report = report_of({"--rhs", "random:2", "-o", "the x.mtx", "--report", "r.html"});
    const Json& run = report["run"];
    EXPECT_EQ(run["command_line"], "stiefel solve a.mtx --json j.json --rhs random:2 -o 'the x.mtx' --report r.html");
    const std::string date = run["date"];
    std::tm utc{};
    EXPECT_EQ(strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc), date.c_str() + date.size()) << date;
    EXPECT_LE(std::abs(std::difftime(std::time(nullptr), timegm(&utc))), 600) << date;
    char host[256] = {};
    ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
    EXPECT_EQ(run["host"], host);
    EXPECT_NE(run["compiler"].get<std::string>().find_first_of("0123456789"), std::string::npos);
    const std::string page = folder.read("r.html");
    for (const char* key : {"date", "host", "processor", "compiler"}) {
        EXPECT_NE(page.find(run[key].get<std::string>()), std::string::npos) << key;
    }
    EXPECT_NE(page.find("stiefel solve a.mtx --json j.json"), std::string::npos);
    EXPECT_NE(page.find("stiefel " + report["stiefel"].get<std::string>()), std::string::npos);
}

TEST_F(Solve, HtmlReportStandsAlone) {
    report_of({"--report", "r.html"});
    const std::string page = folder.read("r.html");
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_TRUE(page.ends_with("</html>\n"));
    for (const char* part : {"<svg", "converged in", "a.mtx", "spmv_dot", "class=\"curve\" d=\"M"}) {
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
    expect_self_contained(page);
}

TEST_F(Solve, HtmlEscapesTheFilesName) {
    folder.write("<b>&.mtx", poisson_text(3));
    EXPECT_EQ(folder.run({"solve", "<b>&.mtx", "--report", "r.html"}).exit_code, 0);
    const std::string page = folder.read("r.html");
    EXPECT_NE(page.find("&lt;b&gt;&amp;.mtx"), std::string::npos);
    EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST_F(Solve, RightHandSideFromAFile) {
    std::string b = "%%MatrixMarket matrix array real general\n200 1\n";
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
        values.push_back(std::sin(i));
        std::ostringstream number;
        number.precision(17);
        number << values.back();
        b += number.str() + "\n";
    }
    folder.write("b.mtx", b);
    report_of({"--rhs", "b.mtx", "-o", "x.mtx"});
    EXPECT_TRUE(true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), values).relative <= 1e-8);
}

TEST_F(Solve, RightHandSideAsCoordinateColumn) {
    folder.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n200 1 1\n7 1 2.5\n");
    std::vector<double> b(n, 0.0);
    b[6] = 2.5;
    report_of({"--rhs", "b.mtx", "-o", "x.mtx"});
    EXPECT_TRUE(true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), b).relative <= 1e-8);
}

TEST_F(Solve, RandomRightHandSideIsTheSameEveryTime) {
    report_of({"--rhs", "random", "-o", "x1.mtx"});
    report_of({"--rhs", "random", "-o", "x2.mtx", "--threads", "1"});
    EXPECT_EQ(folder.read("x1.mtx"), folder.read("x2.mtx"));
}

TEST_F(Solve, ZeroRightHandSideGivesZeroAtOnce) {
    folder.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n200 1 0\n");
    const Json report = report_of({"--rhs", "b.mtx", "-o", "x.mtx"});
    EXPECT_EQ(report["result"]["iterations"], 0);
    EXPECT_EQ(read_numbers(folder / "x.mtx"), std::vector<double>(n, 0.0));
}

TEST_F(Solve, GoesOnFromItsOwnSolution) {
    const Json first = report_of({"--max-iterations", "60", "--preconditioner", "none", "-o", "x.mtx"}, 3);
    EXPECT_EQ(first["result"]["reason"], "max_iterations");
    EXPECT_EQ(report_of({"--guess", "x.mtx", "-o", "y.mtx"})["method"]["guess"], "x.mtx");
    const Json exact = report_of({"--guess", "y.mtx"});
    EXPECT_EQ(exact["result"]["iterations"], 0) << "y already meets the tolerance";
}

/// The list of the library is what the option takes, its help says, and docs/cli.md describes.
TEST_F(Solve, TakesEveryListedPreconditioner) {
    const std::string help = folder.run({"solve", "--help"}).out;
    std::ifstream page(STIEFEL_DOCS "/cli.md");
    const std::string docs{std::istreambuf_iterator<char>(page), {}};
    for (const auto& entry : preconditioners<Serial, double>) {
        const std::string name(entry.name);
        EXPECT_NE(help.find(name + ":"), std::string::npos) << name;
        EXPECT_NE(docs.find("`" + name + "`"), std::string::npos) << name;
        for (const char* solver : {"cg", "both"}) {
            const Json report =
                report_of({"--backend", "openmp", "--preconditioner", name, "--solver", solver, "--rhs", "random:3"});
            EXPECT_EQ(report["method"]["preconditioner"], name);
            EXPECT_EQ(report["result"]["reason"], "converged") << name << " " << solver;
        }
    }
}

TEST_F(Solve, PreconditionerIsChosenByTheDiagonal) {
    folder.write("a.mtx", poisson_text(99));  // too few rows for another to be looked at
    EXPECT_EQ(report_of({})["method"]["preconditioner"], "none") << "the diagonal is constant";
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 2 100\n3 3 10000\n3 1 1\n");
    const Json report = report_of({});
    EXPECT_EQ(report["method"]["preconditioner"], "jacobi");
    EXPECT_NE(report["method"]["preconditioner_reason"].get<std::string>().find("factor of 1e+04"), std::string::npos);
    EXPECT_EQ(report_of({"--preconditioner", "none"})["method"]["preconditioner"], "none");
}

TEST_F(Solve, FormatAndKernelAreTakenAsAsked) {
    for (const std::string_view name : AllFormats::names) {
        const std::string format(name);
        const Json report = report_of({"--backend", "openmp", "--format", format, "-o", "x.mtx"});
        EXPECT_EQ(report["matrix"]["format"], format);
        EXPECT_TRUE(true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), ones).relative <= 1e-8) << format;
    }
    const Json report = report_of({"--backend", "openmp", "--format", "csr", "--kernel", "static"});
    EXPECT_EQ(report["method"]["kernel"], "static");
    EXPECT_NE(report["method"]["kernel_reason"], "");
}

TEST_F(Solve, AbsoluteToleranceAloneEndsIt) {
    const Json report = report_of({"--rtol", "0", "--atol", "0.5", "-o", "x.mtx"});
    EXPECT_EQ(report["result"]["reason"], "converged");
    EXPECT_TRUE(report["result"]["relative_residual"].get<double>() * report["result"]["rhs_norm"].get<double>() <=
                0.5);
}

TEST_F(Solve, EmptyAndTinySystems) {
    folder.write("zero.mtx", "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n");
    folder.write("one.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n");
    EXPECT_EQ(folder.run({"solve", "zero.mtx", "-o", "x0.mtx"}).exit_code, 0);
    EXPECT_EQ(folder.run({"solve", "one.mtx", "-o", "x1.mtx"}).exit_code, 0);
    EXPECT_EQ(read_numbers(folder / "x0.mtx"), std::vector<double>{});
    EXPECT_EQ(read_numbers(folder / "x1.mtx"), std::vector<double>{0.25});
}

TEST_F(Solve, MatrixFromStandardInput) {
    const Finished run = folder.run({"solve", "-", "-o", "x.mtx", "--quiet"}, {.input = poisson_text(n)});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), ones).relative <= 1e-8);
}

TEST_F(Solve, CompressedInAndOut) {
    ASSERT_EQ(folder.run({"convert", "a.mtx", "a.mtx.gz"}).exit_code, 0);
    EXPECT_TRUE(folder.read("a.mtx.gz").starts_with("\x1f\x8b"));
    ASSERT_EQ(folder.run({"solve", "a.mtx.gz", "-o", "x.mtx.gz"}).exit_code, 0);
    EXPECT_TRUE(folder.read("x.mtx.gz").starts_with("\x1f\x8b"));
    ASSERT_EQ(folder.run({"convert", "x.mtx.gz", "x.mtx"}).exit_code, 0);
    EXPECT_TRUE(true_residual(folder / "a.mtx", read_numbers(folder / "x.mtx"), ones).relative <= 1e-8);
}

TEST_F(Solve, ArchiveWithItsRightHandSide) {
    std::filesystem::create_directory(folder / "pack");
    folder.write("pack/pack.mtx", poisson_text(3));
    folder.write("pack/pack_b.mtx", "%%MatrixMarket matrix array real general\n3 1\n0\n0\n4\n");
    const std::string tar =
        "tar -C '" + folder.path().string() + "' -czf '" + (folder / "pack.tar.gz").string() + "' pack";
    ASSERT_EQ(std::system(tar.c_str()), 0);
    const Finished run = folder.run({"solve", "pack.tar.gz", "--rhs", "archive", "-o", "x.mtx"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::vector<double> x = read_numbers(folder / "x.mtx"), expected{1, 2, 3};
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], expected[i], 1e-7);
}

TEST_F(Solve, PageTellsThePiecesOfTheMatrix) {
    folder.write("b.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 2 3\n3 3 5\n3 1 1\n");
    for (const auto& [file, said] :
         {std::pair{"a.mtx", "<dd>one connected piece</dd>"},
          {"b.mtx", "<dd>2 pieces that do not touch each other, of 1 to 2 rows: each could"}}) {
        ASSERT_EQ(folder.run({"solve", file, "--report", "r.html"}).exit_code, 0);
        const std::string page = folder.read("r.html");
        EXPECT_NE(page.find(said), std::string::npos) << said;
    }
}

TEST_F(Solve, NotConvergedStillWritesEverythingAndAdvises) {
    const Finished run = folder.run({"solve", "a.mtx", "--preconditioner", "none", "--max-iterations", "7", "-o",
                                     "x.mtx", "--history", "h.csv", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.out.find("not converged: all 7 iterations are used up"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("--max-iterations"), std::string::npos);
    EXPECT_EQ(folder.names(), (Words{"a.mtx", "h.csv", "r.html", "x.mtx"}));
    EXPECT_EQ(read_numbers(folder / "x.mtx").size(), static_cast<std::size_t>(n));
}

TEST_F(Solve, UnreachableToleranceIsStagnation) {
    EXPECT_EQ(report_of({"--rhs", "random", "--rtol", "1e-30"}, 3)["result"]["reason"], "stagnated");
}

TEST_F(Solve, IndefiniteMatrixIsSeenOnTheWay) {
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 3\n2 2 1\n");
    const Json report = report_of({"--rhs", "random", "--preconditioner", "none"}, 4);
    EXPECT_EQ(report["result"]["reason"], "not_positive_definite");
}

TEST_F(Solve, SymmetricUpToRoundingIsAcceptedWithANote) {
    folder.write("a.mtx",
                 "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n1 2 1\n2 1 1.0000000000000002\n2 2 2\n");
    const Finished run = folder.run({"solve", "a.mtx"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_NE(run.err.find("note: a.mtx: symmetric only up to rounding: entry (1, 2) is 1"), std::string::npos)
        << run.err;
}

}  // namespace
}  // namespace stiefel::test
