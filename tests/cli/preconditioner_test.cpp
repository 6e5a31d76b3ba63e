// What reports tell of the preconditioner: its levels, its set-up, what an iteration with it gained.

#include "cli/html_page.hpp"
#include "cli/poisson_command.hpp"
#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
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
    for (const char* key : {"operator_complexity", "grid_complexity", "coarsening", "smoother", "cycle", "precision",
                            "block_size", "near_null_space", "factorisation", "sparse_inverse"}) {
        EXPECT_TRUE(about[key].is_null()) << key;
    }
}

TEST_F(PreconditionerReport, TellsWhatAFactorisationTook) {
    const Finished run = folder.run({"solve", "a.mtx", "--backend", "openmp", "--preconditioner", "cholesky",
                                     "--report", "r.html", "--json", "r.json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json report = Json::parse(folder.read("r.json")), &about = report["preconditioner"];
    EXPECT_LE(report["result"]["iterations"], 2);
    EXPECT_GE(about["factorisation"]["nonzeros"], 2 * n - 1) << "of L of a path";
    EXPECT_LT(about["factorisation"]["nonzeros"], 10 * n);
    EXPECT_GT(about["factorisation"]["supernodes"], 1);
    EXPECT_GT(about["factorisation"]["flops"], n);
    EXPECT_EQ(about["factorisation"]["shift"], 0.0);
    EXPECT_TRUE(about["levels"].empty() && about["operator_complexity"].is_null());
    std::vector<std::string> steps;
    for (const Json& step : about["setup"]) steps.push_back(step["step"]);
    EXPECT_EQ(steps, (std::vector<std::string>{"compress", "order", "analyse", "factor"}));
    EXPECT_NE(report["method"]["preconditioner_summary"].get<std::string>().find("nonzeros in L"), std::string::npos);
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    for (const char* part : {"order: approximate minimum degree", "nonzeros in L", "analyse"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
}

TEST_F(PreconditionerReport, TellsWhatAnIncompleteFactorHolds) {
    const Json about = report_of({"--backend", "openmp", "--preconditioner", "ic"})["preconditioner"]["factorisation"];
    EXPECT_EQ(about["nonzeros"], 2 * n - 1) << "the pattern of A";
    EXPECT_EQ(about["level_sets"], n) << "of a path";
    EXPECT_EQ(about["supernodes"], 0);
    const Finished run =
        folder.run({"solve", "a.mtx", "--backend", "openmp", "--preconditioner", "ic", "--ic-threshold", "0.1"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("3,000 level sets"), std::string::npos) << run.out;
    const auto refused = [&](const Words& more) {
        Words words{"solve", "a.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished wrong = folder.run(words);
        EXPECT_EQ(wrong.exit_code, 1);
        return wrong.err;
    };
    EXPECT_NE(refused({"--ic-threshold", "0.1"}).find("--ic-threshold is for --preconditioner ic, not auto"),
              std::string::npos);
    EXPECT_NE(refused({"--preconditioner", "ic", "--ic-threshold", "1"}).find("give less than 1"), std::string::npos);
}

TEST_F(PreconditionerReport, TellsWhatASparseInverseHolds) {
    const Json report = report_of({"--preconditioner", "fsai", "--fsai-power", "1"});
    const Json& about = report["preconditioner"];
    EXPECT_EQ(about["sparse_inverse"]["power"], 1);
    EXPECT_EQ(about["sparse_inverse"]["nonzeros"], 2 * n - 1) << "the pattern of A's lower triangle";
    EXPECT_EQ(about["sparse_inverse"]["jacobi_rows"], 0);
    EXPECT_TRUE(about["factorisation"].is_null() && about["levels"].empty());
    EXPECT_GE(about["bytes"], 2 * (2 * n - 1) * 8);
    std::vector<std::string> steps;
    for (const Json& step : about["setup"]) steps.push_back(step["step"]);
    EXPECT_EQ(steps, (std::vector<std::string>{"factor", "convert"}));
    EXPECT_NE(report["method"]["preconditioner_summary"].get<std::string>().find("nonzeros in G"), std::string::npos);
    const Json more = report_of({"--preconditioner", "fsai", "--fsai-power", "2", "--fsai-drop", "0"});
    EXPECT_EQ(more["preconditioner"]["sparse_inverse"]["nonzeros"], 3 * n - 3);
    EXPECT_LT(more["result"]["iterations"], report["result"]["iterations"]);
    const Finished run = folder.run({"solve", "a.mtx", "--preconditioner", "fsai", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    for (const char* part : {"pattern of A^2", "nonzeros in G"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
}

TEST_F(PreconditionerReport, OptionsOfASparseInverseAreForItAlone) {
    const auto refused = [&](const Words& more) {
        Words words{"solve", "a.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished wrong = folder.run(words);
        EXPECT_EQ(wrong.exit_code, 1);
        return wrong.err;
    };
    for (const char* flag : {"--fsai-power", "--fsai-threshold", "--fsai-drop"}) {
        const char* const value = std::string(flag) == "--fsai-power" ? "3" : "0.1";
        EXPECT_NE(refused({flag, value}).find(std::string(flag) + " is for --preconditioner fsai, not auto"),
                  std::string::npos);
    }
    EXPECT_NE(refused({"--preconditioner", "fsai", "--fsai-power", "5"}).find("--fsai-power"), std::string::npos);
    for (const char* flag : {"--fsai-threshold", "--fsai-drop"}) {
        EXPECT_NE(refused({"--preconditioner", "fsai", flag, "1"}).find("give less than 1"), std::string::npos);
    }
}

/// Rows without a definite system are told, and an indefinite matrix is found out all the same.
TEST_F(PreconditionerReport, TellsRowsThatAreLeftToJacobi) {
    folder.write("i.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 2 1\n2 1 2\n");
    const Finished run = folder.run(
        {"solve", "i.mtx", "--rhs", "random", "--preconditioner", "fsai", "--json", "r.json", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 4) << run.err;
    EXPECT_NE(folder.read("r.html").find("the local systems of 1 row are not positive definite"), std::string::npos);
    EXPECT_EQ(Json::parse(folder.read("r.json"))["preconditioner"]["sparse_inverse"]["jacobi_rows"], 1);
}

/// A matrix without a factor is shifted, which is told, and found out all the same.
TEST_F(PreconditionerReport, TellsTheShift) {
    folder.write("i.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 2 1\n2 1 2\n");
    const Finished run = folder.run({"solve", "i.mtx", "--backend", "openmp", "--rhs", "random", "--preconditioner",
                                     "cholesky", "--json", "r.json"});
    EXPECT_EQ(run.exit_code, 4) << run.err;
    const Json report = Json::parse(folder.read("r.json"));
    EXPECT_EQ(report["result"]["reason"], "not_positive_definite");
    EXPECT_GT(report["preconditioner"]["factorisation"]["shift"], 0.1);
    EXPECT_NE(run.out.find("diag(A) was added"), std::string::npos) << run.out;
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
    const Json seconds = report_of({"--rhs", "random:2", "--solver", "both", "--preconditioner", "amg"})["seconds"];
    EXPECT_GT(seconds["compare"], 0.0);
    EXPECT_EQ(report_of({"--rhs", "random:2", "--preconditioner", "amg"})["seconds"]["compare"], 0.0);
    EXPECT_NE(folder.run({"solve", "a.mtx", "--rhs", "random:2", "--solver", "both", "--preconditioner", "amg"})
                  .out.find("the other way "),
              std::string::npos);
}

/// Systems of more than 20,000 rows, where `auto` looks at the first iterations.
class AutomaticPreconditioner : public ::testing::Test {
protected:
    void generate(const Words& words) {
        Words all{"generate"};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"-o", "a.mtx", "-q"});
        const Finished run = folder.run(all);
        ASSERT_EQ(run.exit_code, 0) << run.err;
    }

    Json solved(const Words& words, const char* rhs = "random") {
        Words all{"solve", "a.mtx", "--rhs", rhs, "--json", "j.json"};
        all.insert(all.end(), words.begin(), words.end());
        const Finished run = folder.run(all);
        EXPECT_EQ(run.exit_code, 0) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    static std::vector<std::string> runs_of(const Json& report) {
        std::vector<std::string> names;
        for (const Json& run : report["preconditioner"]["runs"]) names.push_back(run["preconditioner"]);
        return names;
    }
    static std::string reason_of(const Json& report) { return report["method"]["preconditioner_reason"]; }

    Folder folder;
};

/// The first iterations are the beginning of the solve, not thrown away; x, history and counts are those of all.
TEST_F(AutomaticPreconditioner, GoesOnWithMultigridWhereManyIterationsWouldFollow) {
    generate({"poisson2d", "150"});
    for (const char* backend : {"openmp", "serial"}) {
        const Json report = solved({"--backend", backend, "-o", "x.mtx", "--history", "h.csv"});
        EXPECT_EQ(runs_of(report), (Words{"none", "amg"}));
        EXPECT_EQ(report["method"]["preconditioner"], "amg");
        EXPECT_NE(reason_of(report).find("after 10 iterations with no preconditioner some "), std::string::npos);
        const Json& runs = report["preconditioner"]["runs"];
        EXPECT_EQ(runs[0]["iterations"], 10);
        EXPECT_LT(runs[1]["iterations"], 20);
        EXPECT_LT(runs[0]["convergence_factor"], 1.0);
        EXPECT_GT(report["preconditioner"]["levels"].size(), 2u);
        EXPECT_LE(report["result"]["relative_residual"], 1e-8);
        const std::size_t iterations = report["result"]["iterations"];
        const std::string history = folder.read("h.csv");
        EXPECT_EQ(static_cast<std::size_t>(std::count(history.begin(), history.end(), '\n')), iterations + 2);
        EXPECT_EQ(report["columns"][0]["iterations"], iterations);
        const auto exact = solved({"--preconditioner", "jacobi", "--rtol", "1e-12", "-o", "y.mtx"});
        const std::vector<double> x = read_numbers(folder / "x.mtx"), y = read_numbers(folder / "y.mtx");
        for (std::size_t i = 0; i < x.size(); i += 100) EXPECT_NEAR(x[i], y[i], 1e-4);
    }
}

/// A device runs on while the host is told: it waits where the decision is taken, and no clock has a say in that.
TEST_F(AutomaticPreconditioner, ChangesOverAfterTheSameIterationInEveryRunOnADevice) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    constexpr std::array looks = cli::PreconditionerAdvisor::light_looks;
    const auto twice = [&](const Words& words, const char* rhs) {
        std::string x[2];
        Size changed_after[2];
        for (const int run : {0, 1}) {
            Words all{"--backend", "cuda", "-o", "x.npy"};
            all.insert(all.end(), words.begin(), words.end());
            const Json report = solved(all, rhs);
            EXPECT_EQ(runs_of(report), (Words{"none", "amg"})) << reason_of(report);
            changed_after[run] = report["preconditioner"]["runs"][0]["iterations"];
            x[run] = folder.read("x.npy");
        }
        EXPECT_EQ(changed_after[0], changed_after[1]);
        EXPECT_NE(std::ranges::find(looks, changed_after[0]), looks.end()) << changed_after[0];
        EXPECT_EQ(x[0], x[1]);
    };
    generate({"poisson2d", "400"});  // resident
    twice({}, "random");
    twice({"--solver", "block-cg"}, "random:2");
    generate({"poisson2d", "800"});
    twice({}, "random");
#else
    GTEST_SKIP() << "built without the CUDA backend";
#endif
}

TEST_F(AutomaticPreconditioner, DecidesForABlockAsWell) {
    generate({"poisson2d", "230"});
    const Json report = solved({"--solver", "block-cg", "--block", "2"}, "random:3");
    EXPECT_EQ(runs_of(report), (Words{"none", "amg"}));
    ASSERT_EQ(report["columns"].size(), 3u);
    EXPECT_EQ(report["columns"][2]["reason"], "converged");
    EXPECT_LT(report["columns"][2]["iterations"], 30) << "the second block begins with what was decided";
    const Json one_by_one = solved({}, "random:2");
    EXPECT_EQ(runs_of(one_by_one), (Words{"none", "amg"}));
    EXPECT_LT(one_by_one["columns"][1]["iterations"], 30);
}

TEST_F(AutomaticPreconditioner, StaysWhereFewIterationsFollow) {
    generate({"random_spd", "25000", "--shift", "0.1"});
    const Json report = solved({});
    EXPECT_EQ(runs_of(report), Words{"jacobi"});
    generate({"poisson3d", "28"});
    const Json longer = solved({});
    EXPECT_EQ(runs_of(longer), Words{"none"});
    EXPECT_GT(longer["result"]["iterations"], 60);
    EXPECT_NE(reason_of(longer).find("too few for amg"), std::string::npos) << reason_of(longer);
}

TEST_F(AutomaticPreconditioner, LeavesSmallSystemsAlone) {
    generate({"poisson2d", "30"});
    const Json report = solved({});
    EXPECT_EQ(runs_of(report), Words{"none"});
    EXPECT_EQ(reason_of(report), "the diagonal is even");
    generate({"poisson2d", "150"});
    EXPECT_EQ(runs_of(solved({"--preconditioner", "jacobi"})), Words{"jacobi"}) << "as asked";
}

/// What the factor costs is counted before it is computed.
TEST_F(AutomaticPreconditioner, GoesOnWithAFactorisationWhereThatTakesLess) {
    generate({"anisotropic2d", "60", "--epsilon", "1e-4"});
    for (const char* backend : {"openmp", "serial"}) {
        const Json report = solved({"--backend", backend});
        EXPECT_EQ(runs_of(report), (Words{"none", "cholesky"})) << reason_of(report);
        EXPECT_NE(reason_of(report).find("; cholesky was to take as long as some "), std::string::npos);
        EXPECT_LE(report["preconditioner"]["runs"][1]["iterations"], 2);
        EXPECT_LE(report["result"]["relative_residual"], 1e-8);
    }
    generate({"poisson3d", "16"});
    EXPECT_EQ(runs_of(solved({})), Words{"none"}) << "too few iterations follow";
}

/// With so many bytes of addresses.
Running limited(rlim_t bytes) {
    return {.before_start = [bytes] {
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
    }};
}

/// A set-up that does not fit is refused before it begins, with what would; `auto` goes on without it.
TEST_F(AutomaticPreconditioner, RefusesAHierarchyThatDoesNotFit) {
    generate({"poisson2d", "400"});
    constexpr rlim_t bytes = 90 << 20;  // hardly more than is estimated
    const auto run = [&](const char* preconditioner) {
        return folder.run({"solve", "a.mtx", "--threads", "1", "--rhs", "random", "--rtol", "1e-4", "--json", "j.json",
                           "--preconditioner", preconditioner},
                          limited(bytes));
    };
    const Finished asked = run("amg");
    EXPECT_EQ(asked.exit_code, 5);
    for (const char* part : {"--preconditioner amg: ", "the set-up of amg needs 80.1 MiB", " are free",
                             "--preconditioner jacobi needs 1.22 MiB"}) {
        EXPECT_NE(asked.err.find(part), std::string::npos) << part << " in " << asked.err;
    }
    const Finished automatic = run("auto");
    EXPECT_EQ(automatic.exit_code, 0) << automatic.err;
    const Json report = Json::parse(folder.read("j.json"));
    EXPECT_EQ(runs_of(report), Words{"none"});
    EXPECT_NE(reason_of(report).find("amg was given up: out of memory: the set-up of amg needs "), std::string::npos)
        << reason_of(report);
}

/// The estimate is no less than what is taken, and not a multiple of it.
TEST_F(AutomaticPreconditioner, EstimatesWhatTheSetupTakes) {
    for (const Words& problem : {Words{"poisson3d", "40"}, Words{"anisotropic2d", "200"}}) {
        generate(problem);
        const Json with = solved({"--backend", "openmp", "--preconditioner", "amg"}),
                   without = solved({"--backend", "openmp", "--preconditioner", "jacobi"});
        const auto taken = with["peak_memory_bytes"].get<Size>() - without["peak_memory_bytes"].get<Size>();
        const Size estimate = amg::setup_bytes(with["matrix"]["n_rows"], with["matrix"]["nnz"]);
        EXPECT_LE(taken, estimate) << problem[0];
        EXPECT_GE(5 * taken, estimate) << problem[0];
    }
}

}  // namespace
}  // namespace stiefel::test
