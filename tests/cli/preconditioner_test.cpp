// What reports tell of the preconditioner: its levels, its set-up, what an iteration with it gained.

#include "cli/html_page.hpp"
#include "cli/poisson_command.hpp"

#include <cmath>

namespace stiefel::test {
namespace {

class PreconditionerReport : public PoissonCommand {
protected:
    static constexpr int n = 3000;

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
    EXPECT_EQ(about["setup"].size(), 7u);
    EXPECT_GT(steps, 0);
    EXPECT_LE(steps, about["seconds"]);
}

TEST_F(PreconditionerReport, OthersHaveNoLevels) {
    const Json about = report_of({"--preconditioner", "jacobi"})["preconditioner"];
    EXPECT_TRUE(about["levels"].empty() && about["setup"].empty());
    for (const char* key :
         {"operator_complexity", "grid_complexity", "coarsening", "smoother", "cycle", "precision", "trial_quotient",
          "block_size", "near_null_space", "factorisation", "sparse_inverse", "blocks"}) {
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
    EXPECT_EQ(about["factorisation"]["vertices"], n);
    EXPECT_EQ(about["factorisation"]["couplings"], 2 * (n - 1));
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

/// Of the few products that a factor leaves to do none would repay another format; column after column they are many.
TEST_F(PreconditionerReport, WithAFactorAFewProductsAreExpected) {
    const auto format_of = [&](const char* system, const char* preconditioner, const char* rhs) {
        const Finished run =
            folder.run({"solve", system, "--rhs", rhs, "--backend", "openmp", "--preconditioner", preconditioner,
                        "--reorder", "none", "--solver", "cg", "--max-iterations", "3", "--json", "f.json"});
        EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.err;
        return Json::parse(folder.read("f.json"))["matrix"]["format"].get<std::string>();
    };
    EXPECT_EQ(format_of("generate:poisson3d:20", "jacobi", "random"), "compressed-sell");
    EXPECT_EQ(format_of("generate:poisson3d:20", "cholesky", "random"), "csr");
    EXPECT_EQ(format_of("generate:poisson3d:20", "cholesky", "random:60"), "compressed-sell");
    // Taken at once, as couplings are strong.
    EXPECT_EQ(format_of("generate:anisotropic2d:60:epsilon=1e-3", "auto", "random"), "csr");
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
    EXPECT_NE(refused({"--preconditioner", "jacobi", "--ic-level", "1"}).find("--ic-level is for --preconditioner ic"),
              std::string::npos);
    EXPECT_NE(refused({"--preconditioner", "ic", "--ic-level", "11"}).find("--ic-level"), std::string::npos);
    EXPECT_NE(refused({"--preconditioner", "ic", "--ic-level", "1", "--ic-threshold", "0.1"}).find("give one"),
              std::string::npos);
}

TEST_F(PreconditionerReport, TellsLevelsOfFill) {
    folder.write("ring.mtx",
                 "%%MatrixMarket matrix coordinate real symmetric\n5 5 10\n1 1 3\n2 2 3\n3 3 3\n4 4 3\n5 5 3\n"
                 "2 1 -1\n3 2 -1\n4 3 -1\n5 4 -1\n5 1 -1\n");
    for (const auto& [level, nonzeros] : {std::pair{"0", 10}, std::pair{"1", 11}, std::pair{"2", 12}}) {
        const Finished run = folder.run({"solve", "ring.mtx", "--backend", "openmp", "--rhs", "random",
                                         "--preconditioner", "ic", "--ic-level", level, "--json", "r.json"});
        EXPECT_EQ(run.exit_code, 0) << run.err;
        const Json report = Json::parse(folder.read("r.json"));
        EXPECT_EQ(report["preconditioner"]["factorisation"]["nonzeros"], nonzeros) << level;
    }
}

TEST_F(PreconditionerReport, TellsColours) {
    const Json report = report_of({"--preconditioner", "ssor", "--ssor-omega", "1.2"});
    const Json about = report["preconditioner"]["factorisation"];
    EXPECT_EQ(report["method"]["preconditioner"], "ssor");
    EXPECT_EQ(about["nonzeros"], 2 * n - 1);
    EXPECT_EQ(about["level_sets"], 2) << "of a path";
    std::vector<std::string> steps;
    for (const Json& step : report["preconditioner"]["setup"]) steps.push_back(step["step"]);
    EXPECT_EQ(steps, (std::vector<std::string>{"colour", "levels"}));
    const Finished run = folder.run({"solve", "a.mtx", "--preconditioner", "ssor"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("2 level sets"), std::string::npos) << run.out;
    for (const char* omega : {"0", "2", "-1", "nan"}) {
        const Finished wrong = folder.run({"solve", "a.mtx", "--preconditioner", "ssor", "--ssor-omega", omega});
        EXPECT_EQ(wrong.exit_code, 1);
        EXPECT_NE(wrong.err.find("--ssor-omega"), std::string::npos) << wrong.err;
    }
    const Finished others = folder.run({"solve", "a.mtx", "--ssor-omega", "1.5"});
    EXPECT_EQ(others.exit_code, 1);
    EXPECT_NE(others.err.find("--ssor-omega is for --preconditioner ssor, not auto"), std::string::npos) << others.err;
}

TEST_F(PreconditionerReport, TellsWhatASparseInverseHolds) {
    const Json report = report_of({"--preconditioner", "fsai", "--fsai-power", "1"});
    const Json& about = report["preconditioner"];
    EXPECT_EQ(about["sparse_inverse"]["power"], 1);
    EXPECT_EQ(about["sparse_inverse"]["nonzeros"], 2 * n - 1) << "the pattern of A's lower triangle";
    EXPECT_EQ(about["sparse_inverse"]["jacobi_rows"], 0);
    EXPECT_TRUE(about["factorisation"].is_null() && about["levels"].empty());
    EXPECT_GE(about["bytes"], n * 8) << "vectors at least: rows of G are alike, and stored once";
    std::vector<std::string> steps;
    for (const Json& step : about["setup"]) steps.push_back(step["step"]);
    EXPECT_EQ(steps, (std::vector<std::string>{"factor", "convert"}));
    EXPECT_NE(report["method"]["preconditioner_summary"].get<std::string>().find("nonzeros in G"), std::string::npos);
    const Json more = report_of({"--preconditioner", "fsai", "--fsai-power", "2", "--fsai-drop", "0"});
    EXPECT_EQ(more["preconditioner"]["sparse_inverse"]["nonzeros"], 3 * n - 3);
    EXPECT_LT(more["result"]["iterations"], report["result"]["iterations"]);
    const Json grown = report_of({"--preconditioner", "fsai", "--fsai-steps", "2"});
    EXPECT_EQ(grown["preconditioner"]["sparse_inverse"]["steps"], 2);
    EXPECT_NE(folder.run({"solve", "a.mtx", "--preconditioner", "fsai", "--fsai-steps", "2"})
                  .out.find("rows grown in 2 steps; "),
              std::string::npos);
    const Finished run = folder.run({"solve", "a.mtx", "--preconditioner", "fsai", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    for (const char* part : {"pattern of A^2", "nonzeros in G"}) {
        EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
        EXPECT_NE(page.find(part), std::string::npos) << part;
    }
}

TEST_F(PreconditionerReport, TellsBlocks) {
    const Json report = report_of({"--preconditioner", "block-jacobi"});
    const Json& about = report["preconditioner"];
    EXPECT_EQ(report["method"]["preconditioner"], "block-jacobi");
    EXPECT_EQ(about["blocks"]["found"], true);
    EXPECT_EQ(about["blocks"]["jacobi_blocks"], 0);
    EXPECT_LT(about["blocks"]["number"], n);
    EXPECT_NEAR(about["blocks"]["mean"].get<double>() * about["blocks"]["number"].get<double>(), n, 1e-9 * n);
    EXPECT_TRUE(about["factorisation"].is_null() && about["sparse_inverse"].is_null() && about["levels"].empty());
    EXPECT_GE(about["bytes"], n * about["blocks"]["mean"].get<double>() * 8);
    std::vector<std::string> steps;
    for (const Json& step : about["setup"]) steps.push_back(step["step"]);
    EXPECT_EQ(steps, (std::vector<std::string>{"blocks", "invert", "convert"}));
    const Json given = report_of({"--preconditioner", "block-jacobi", "--jacobi-block", "7"});
    EXPECT_EQ(given["preconditioner"]["blocks"]["found"], false);
    EXPECT_EQ(given["preconditioner"]["blocks"]["number"], (n + 6) / 7);
    EXPECT_EQ(given["preconditioner"]["blocks"]["largest"], 7);
    EXPECT_EQ(given["method"]["preconditioner_summary"].get<std::string>().find("429 blocks, set up in"), 0U);
    const Finished run =
        folder.run({"solve", "a.mtx", "--preconditioner", "block-jacobi", "--jacobi-block", "7", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string page = folder.read("r.html");
    expect_self_contained(page);
    const char* const part = "429 blocks given, of 6.99 rows in the mean, 7 at most";
    EXPECT_NE(run.out.find(part), std::string::npos) << run.out;
    EXPECT_NE(page.find(part), std::string::npos);
}

TEST_F(PreconditionerReport, TheSizeOfBlocksIsForThemAlone) {
    for (const char* size : {"0", "33", "-1", "1.5", "x"}) {
        const Finished wrong =
            folder.run({"solve", "a.mtx", "--preconditioner", "block-jacobi", "--jacobi-block", size});
        EXPECT_EQ(wrong.exit_code, 1) << size;
        EXPECT_NE(wrong.err.find("--jacobi-block"), std::string::npos) << wrong.err;
    }
    const Finished others = folder.run({"solve", "a.mtx", "--preconditioner", "jacobi", "--jacobi-block", "4"});
    EXPECT_EQ(others.exit_code, 1);
    EXPECT_NE(others.err.find("--jacobi-block is for --preconditioner block-jacobi, not jacobi"), std::string::npos)
        << others.err;
}

/// Blocks that are not definite are told, and an indefinite matrix is found out all the same.
TEST_F(PreconditionerReport, TellsBlocksThatAreLeftToJacobi) {
    folder.write("i.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 2 1\n2 1 2\n");
    const Finished run = folder.run({"solve", "i.mtx", "--rhs", "random", "--preconditioner", "block-jacobi", "--json",
                                     "r.json", "--report", "r.html"});
    EXPECT_EQ(run.exit_code, 4) << run.err;
    EXPECT_NE(folder.read("r.html").find("1 is not positive definite: the rows have the diagonal alone"),
              std::string::npos);
    EXPECT_EQ(Json::parse(folder.read("r.json"))["preconditioner"]["blocks"]["jacobi_blocks"], 1);
}

TEST_F(PreconditionerReport, OptionsOfASparseInverseAreForItAlone) {
    const auto refused = [&](const Words& more) {
        Words words{"solve", "a.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished wrong = folder.run(words);
        EXPECT_EQ(wrong.exit_code, 1);
        return wrong.err;
    };
    for (const char* flag : {"--fsai-power", "--fsai-steps", "--fsai-threshold", "--fsai-drop"}) {
        const bool is_whole = flag == std::string("--fsai-power") || flag == std::string("--fsai-steps");
        const char* const value = is_whole ? "3" : "0.1";
        EXPECT_NE(refused({flag, value}).find(std::string(flag) + " is for --preconditioner fsai, not auto"),
                  std::string::npos);
    }
    EXPECT_NE(refused({"--preconditioner", "fsai", "--fsai-power", "5"}).find("--fsai-power"), std::string::npos);
    EXPECT_NE(refused({"--preconditioner", "fsai", "--fsai-steps", "9"}).find("--fsai-steps"), std::string::npos);
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

}  // namespace
}  // namespace stiefel::test
