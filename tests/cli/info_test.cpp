// `stiefel info` in words and for programs.

#include "cli/documented_json.hpp"
#include "cli/program.hpp"
#include "cli/systems.hpp"
#include "stiefel/preconditioner/list.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Info : public ::testing::Test {
protected:
    /// Runs `info` on this text and expects these parts.
    void expect_says(const std::string& matrix, const std::vector<std::string>& parts) {
        folder.write("a.mtx", matrix);
        const Finished run = folder.run({"info", "a.mtx"});
        EXPECT_EQ(run.exit_code, 0) << run.err;
        for (const std::string& part : parts) {
            EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
        }
    }

    Folder folder;
};

TEST_F(Info, SaysWhatAMatrixIsLike) {
    expect_says(poisson_text(100),
                {"size         100 x 100\n", "file         real, symmetric: 199 entries of one triangle\n",
                 "nonzeros     298, 2.98 a row, density 0.03\n", "row lengths  2 to 3, mean 2.98, median 3,",
                 "bandwidth    1 on either side of the diagonal\n", "values       1 to 2 in magnitude\n",
                 "symmetry     symmetric\n", "components   one connected piece\n", "diagonal     positive, all 2\n",
                 "dominance    every row diagonally dominant, 2 strictly\n", "spectrum     within [0, 4]",
                 "solvable     perhaps: symmetric with a positive diagonal", "ellpack ", "auto takes   csr, kernel "});
}

TEST_F(Info, NamesWhatIsMissingOrNotPositive) {
    expect_says(
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1\n2 2 -4\n3 3 0\n",
        {"diagonal     1 of 3 missing, the first (1, 1); 1 of 3 zero, the first (3, 3); 1\n",
         "of 3 negative, the first (2, 2); at most 4 in magnitude\n", "solvable     no: not positive definite"});
    expect_says("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n",
                {"diagonal     all missing\n", "dominance    no row diagonally dominant\n",
                 "values       none in the file, so that all count as 1\n",
                 "file         pattern, symmetric: 2 entries of one triangle\n"});
}

TEST_F(Info, SaysWhyConjugateGradientsCannotTakeIt) {
    expect_says(
        "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 5\n",
        {"row lengths  all 1\n", "bandwidth    0 below the diagonal, 1 above\n",
         "file         real, general: 2 entries\n", "solvable     no: conjugate gradients need a square matrix"});
    expect_says("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 2 0.5\n",
                {"symmetry     not symmetric: (1, 2) is 0.5, (2, 1) is 0; 1 entry without a mirror",
                 "solvable     no: conjugate gradients need a symmetric matrix"});
    expect_says("%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n2 2 1\n1 2 0.5\n2 1 0.25\n",
                {"symmetry     not symmetric: (1, 2) is 0.5, (2, 1) is 0.25; the pattern is\n"});
}

TEST_F(Info, TellsThePiecesThatDoNotTouchEachOther) {
    const std::string head = "%%MatrixMarket matrix coordinate real general\n";
    expect_says(head + "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n1 3 1\n",
                {"components   3 pieces that do not touch each other, of 1 to 2 rows: each could\n"
                 "             be solved by itself\n"});
    expect_says(head + "4 4 4\n1 4 2\n4 1 2\n3 2 2\n2 3 1\n",
                {"components   2 pieces that do not touch each other, of 2 rows each: each could\n"});
    expect_says(head + "1 1 1\n1 1 2\n", {"components   one connected piece\n"});
    folder.write("wide.mtx", head + "2 3 1\n1 1 1\n");
    EXPECT_EQ(folder.run({"info", "wide.mtx"}).out.find("components"), std::string::npos);
}

TEST_F(Info, DiagonalAndEmptyMatrices) {
    expect_says(
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 3\n",
        {"bandwidth    0, a diagonal matrix\n", "row lengths  all 1\n",
         "dominance    every row strictly diagonally dominant\n", "solvable     yes: symmetric positive definite"});
    expect_says("%%MatrixMarket matrix coordinate real general\n2 2 0\n",
                {"values       none\n", "row lengths  all 0"});
    expect_says("%%MatrixMarket matrix coordinate real general\n0 0 0\n", {"size         0 x 0\n"});
}

// The contract of docs/cli.md.
TEST_F(Info, JsonKeepsItsContract) {
    const Json types = Json::parse(R"({
        "stiefel": "string", "command": "string",
        "run": {"command_line": "string", "date": "string", "host": "string", "processor": "string",
                "compiler": "string", "logical_processors": "integer", "system": "string", "commit": "string or null"},
        "matrix": {"path": "string", "n_rows": "integer", "n_cols": "integer", "nnz": "integer", "stored": "integer",
                   "field": "string", "symmetry": "string"},
        "row_lengths": {"min": "integer", "max": "integer", "mean": "real", "median": "integer", "deviation": "real",
                        "empty": "integer"},
        "bandwidth": {"lower": "integer", "upper": "integer", "profile": "integer"},
        "values": {"min_abs": "real", "max_abs": "real", "zeros": "integer"},
        "symmetry": {"pattern": "boolean", "values": "boolean", "up_to_rounding": "boolean", "unmirrored": "integer",
                     "first_difference": "null", "largest_difference": "null"},
        "diagonal": {"min_abs": "real", "max_abs": "real", "missing": {"count": "integer", "first": "integer or null"},
                     "zero": {"count": "integer", "first": "integer or null"},
                     "negative": {"count": "integer", "first": "integer or null"},
                     "not_strictly_dominant": {"count": "integer", "first": "integer or null"},
                     "not_dominant": {"count": "integer", "first": "integer or null"}, "spectrum": ["real"]},
        "components": {"number": "integer", "smallest": "integer", "largest": "integer"},
        "solvable": "string", "bytes": {"csr": "integer", "sell": "integer", "compressed-sell": "integer", "ellpack": "integer"},
        "auto": {"format": "string", "kernel": "string", "reason": "string"}, "trials": [], "fastest": "null", "ranks": "null",
        "notes": []})");
    folder.write("a.mtx", poisson_text(100));
    ASSERT_EQ(folder.run({"info", "a.mtx", "--json", "j.json"}).exit_code, 0);
    const Json report = Json::parse(folder.read("j.json"));
    expect_documented(types, report, "report");
    EXPECT_EQ(report["run"]["command_line"], "stiefel info a.mtx --json j.json");
    EXPECT_EQ(report["diagonal"]["not_strictly_dominant"]["first"], 2);
    EXPECT_EQ(report["solvable"], "perhaps");
    EXPECT_EQ(report["components"], Json::parse(R"({"number": 1, "smallest": 100, "largest": 100})"));
    folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
    ASSERT_EQ(folder.run({"info", "wide.mtx", "--json", "j.json"}).exit_code, 0);
    EXPECT_TRUE(Json::parse(folder.read("j.json"))["components"].is_null());
}

class InfoTrials : public ::testing::Test {
protected:
    Finished tried(const std::string& matrix, Words more = {}) {
        folder.write("a.mtx", matrix);
        Words words{"info", "a.mtx", "--preconditioners", "--json", "j.json"};
        words.insert(words.end(), more.begin(), more.end());
        return folder.run(words);
    }
    Json report() { return Json::parse(folder.read("j.json")); }

    Folder folder;
};

TEST_F(InfoTrials, ComparesAllThatTheBackendHas) {
    const Json types = Json::parse(R"({"trials": [{"preconditioner": "string", "taken": "string", "ended": "string",
        "why": "string", "converged": "boolean", "setup_seconds": "real", "solve_seconds": "real",
        "iterations": "integer", "relative_residual": "real or null", "bytes": "integer"}], "fastest": "string"})");
    const Finished run = tried(poisson_text(3000), {"--backend", "openmp", "--rtol", "1e-9"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json json = report();
    expect_documented(types, {{"trials", json["trials"]}, {"fastest", json["fastest"]}}, "report");
    std::vector<std::string> names{"auto"}, tried_names;
    for (const auto& entry : preconditioners<OpenMP, double>) names.emplace_back(entry.name);
    double least = std::numeric_limits<double>::infinity();
    std::string fastest;
    for (const Json& trial : json["trials"]) {
        tried_names.push_back(trial["preconditioner"]);
        const double seconds = trial["setup_seconds"].get<double>() + trial["solve_seconds"].get<double>();
        EXPECT_EQ(trial["taken"] != "", trial["preconditioner"] == "auto");
        EXPECT_NE(run.out.find("\n" + tried_names.back() + " "), std::string::npos) << run.out;
        if (trial["ended"] == "time_limit") continue;  // twenty times as slow as another, and a second
        EXPECT_TRUE(trial["converged"]) << trial;
        EXPECT_LE(trial["relative_residual"], 1e-9) << trial;
        if (trial["preconditioner"] == "auto" || seconds >= least) continue;
        least = seconds;
        fastest = trial["preconditioner"];
    }
    for (const std::string& name : tried_names) std::erase(names, name);
    EXPECT_TRUE(names.empty()) << names.front();
    EXPECT_EQ(json["fastest"], fastest);
    EXPECT_NE(run.out.find("fastest      " + fastest + ", "), std::string::npos) << run.out;
}

TEST_F(InfoTrials, SaysWhyOneWasNotTried) {
    const Finished run = tried(poisson_text(3000), {"--backend", "openmp", "--time-limit", "1e-9"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json json = report();
    for (const Json& trial : json["trials"]) {
        EXPECT_FALSE(trial["converged"]) << trial;
        if (trial["preconditioner"] != "cholesky") continue;
        EXPECT_EQ(trial["ended"], "not tried");
        EXPECT_EQ(trial["why"].get<std::string>().find("its set-up was to take "), 0U) << trial;
    }
    EXPECT_EQ(json["fastest"], nullptr);
    EXPECT_NE(run.out.find("fastest      none of them"), std::string::npos) << run.out;
}

/// A factor that fills, of a system that is solved in few iterations: it was to take some 6 s.
TEST_F(InfoTrials, AFactorThatWouldTakeMuchLongerThanTheOthersIsNotTried) {
    ASSERT_EQ(folder.run({"generate", "random_spd", "26000", "-o", "a.mtx", "-q"}).exit_code, 0);
    const Finished run = folder.run({"info", "a.mtx", "--preconditioners", "--backend", "openmp", "--json", "j.json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json json = report();
    const Json& last = json["trials"].back();
    EXPECT_EQ(last["preconditioner"], "cholesky");
    EXPECT_EQ(last["ended"], "not tried") << last;
    const std::string why = last["why"];
    EXPECT_TRUE(why.starts_with("its set-up was to take ") && why.ends_with(" altogether")) << why;
}

TEST_F(InfoTrials, NoneIsRightAboutWhatIsNotDefinite) {
    const Finished run = tried("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 5\n2 2 1\n");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json json = report();
    for (const Json& trial : json["trials"]) EXPECT_FALSE(trial["converged"]) << trial;
    const Finished unsymmetric = tried("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 2 0.5\n");
    EXPECT_EQ(unsymmetric.exit_code, 0);
    EXPECT_NE(unsymmetric.err.find("none was tried"), std::string::npos) << unsymmetric.err;
    EXPECT_TRUE(report()["trials"].empty());
}

TEST_F(InfoTrials, RefusesWhatMakesNoSense) {
    folder.write("a.mtx", poisson_text(10));
    const auto refused = [&](const Words& words, const char* why) {
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, 1);
        EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
    };
    refused({"info", "-", "--preconditioners"}, "give a file instead of -");
    refused({"info", "a.mtx", "--backend", "serial"}, "--backend: info computes on the cores of the host");
    refused({"info", "a.mtx", "--preconditioners", "--rtol", "2"}, "--rtol");
}

}  // namespace
}  // namespace stiefel::test
