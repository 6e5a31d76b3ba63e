// mpirun -np n stiefel solve: one system, solved by 1 to 4 ranks alike.
#include "cli/documented_json.hpp"
#include "cli/ranks/ranks_command.hpp"
#include "cli/systems.hpp"

#include <algorithm>

namespace stiefel::test {
namespace {

class OnRanks : public ::testing::Test {
protected:
    static constexpr int n = 300;
    OnRanks() { folder.write("a.mtx", matrix_text("symmetric", n, 2 * n - 1, poisson_lines(n))); }

    Json report_of(int ranks, Words words, int expected_exit = 0) {
        words.insert(words.begin(), {"solve", "--json", "j.json"});
        const Finished run = folder.run(on_ranks(ranks, words));
        EXPECT_EQ(run.exit_code, expected_exit) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    /// x.mtx is a solution of what is in the file, by the residual of the report.
    void expect_solution(const Json& report, const std::string& matrix) {
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        const TrueResidual exact = true_residual(folder / matrix, x, std::vector<double>(x.size(), 1.0));
        EXPECT_NEAR(report["result"]["relative_residual"].get<double>(), exact.relative, exact.rounding);
        EXPECT_LE(exact.relative, 1.1e-8 + exact.rounding);
    }

    Folder folder;
};

TEST_F(OnRanks, TheSameSystemTakesTheSameIterations) {
    Words general = poisson_lines(n);
    for (int i = 1; i < n; ++i) general.push_back(std::to_string(i) + ' ' + std::to_string(i + 1) + " -1");
    folder.write("general.mtx", matrix_text("general", n, general.size(), general));
    Words twice = poisson_lines(n);
    twice.insert(twice.begin() + 40, "7 7 0.5");
    folder.write("twice.mtx", matrix_text("symmetric", n, twice.size(), twice));
    Words upper = poisson_lines(n);
    for (int i = 1; i < n; ++i) {
        upper[static_cast<std::size_t>(n + i - 1)] = std::to_string(i) + ' ' + std::to_string(i + 1) + " -1";
    }
    folder.write("upper.mtx", matrix_text("symmetric", n, upper.size(), upper));
    for (const std::string file : {"a.mtx", "general.mtx", "twice.mtx", "upper.mtx"}) {
        SCOPED_TRACE(file);
        const double alone = report_of(1, {file, "--preconditioner", "jacobi"})["result"]["iterations"];
        for (const int ranks : {2, 3, 4}) {
            SCOPED_TRACE(ranks);
            const Json report = report_of(ranks, {file, "--preconditioner", "jacobi", "-o", "x.mtx"});
            EXPECT_NEAR(report["result"]["iterations"].get<double>(), alone, 2);
            EXPECT_EQ(report["matrix"]["n_rows"], n);
            EXPECT_EQ(report["matrix"]["nnz"], 3 * n - 2);
            expect_solution(report, file);
        }
    }
}

TEST_F(OnRanks, ReportsSayWhoHeldWhatAndWhatItTook) {
    const Json one = report_of(1, {"a.mtx"});
    EXPECT_TRUE(one["ranks"].is_null());
    const Json report = report_of(3, {"a.mtx", "--history", "h.csv"});
    expect_named_in_docs(report["ranks"]);
    const Json& ranks = report["ranks"];
    EXPECT_EQ(ranks["number"], 3);
    EXPECT_EQ(ranks["hosts"], 1);
    EXPECT_EQ(ranks["partition"], "blocks");
    ASSERT_EQ(ranks["of"].size(), 3u);
    int rows = 0, nonzeros = 0;
    double memory = 0;
    for (const Json& rank : ranks["of"]) {
        rows += rank["rows"].get<int>();
        nonzeros += rank["nonzeros"].get<int>();
        memory += rank["peak_memory_bytes"].get<double>();
        EXPECT_GT(rank["sum_seconds"], 0.0);
        EXPECT_GT(rank["halo_seconds"], 0.0);
    }
    EXPECT_EQ(rows, n);
    EXPECT_EQ(nonzeros, 3 * n - 2);
    EXPECT_EQ(report["peak_memory_bytes"], memory);
    // A chain has two neighbours in the middle, and one number crosses each border in either direction.
    EXPECT_EQ(ranks["of"][1]["neighbours"], 2);
    EXPECT_EQ(ranks["halo_bytes"], 4 * 8);
    const std::string history = folder.read("h.csv");
    EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), report["result"]["iterations"].get<int>() + 2);
}

TEST_F(OnRanks, FewerRowsThanRanks) {
    folder.write("small.mtx", matrix_text("symmetric", 2, 3, {"1 1 2", "2 2 2", "2 1 -1"}));
    for (const char* preconditioner :
         {"none", "jacobi", "block-jacobi", "chebyshev", "amg", "fsai", "ic", "ssor", "cholesky"}) {
        SCOPED_TRACE(preconditioner);
        const Json report = report_of(4, {"small.mtx", "--preconditioner", preconditioner, "-o", "x.mtx"});
        expect_solution(report, "small.mtx");
    }
}

TEST_F(OnRanks, EveryPreconditionerSolvesAndSaysOfWhatItIs) {
    for (const std::string preconditioner : {"block-jacobi", "chebyshev", "amg", "fsai", "ic", "ssor", "cholesky"}) {
        SCOPED_TRACE(preconditioner);
        const Json report = report_of(3, {"a.mtx", "--preconditioner", preconditioner, "-o", "x.mtx"});
        expect_solution(report, "a.mtx");
        const Json& reason = report["method"]["preconditioner_reason"];
        if (preconditioner == "chebyshev" || preconditioner == "amg") {
            EXPECT_TRUE(reason.is_null());
        } else {
            EXPECT_EQ(reason, "of each rank's block of the diagonal");
        }
    }
    const double alone = report_of(1, {"a.mtx", "--preconditioner", "chebyshev"})["result"]["iterations"];
    const double together = report_of(4, {"a.mtx", "--preconditioner", "chebyshev"})["result"]["iterations"];
    EXPECT_NEAR(together, alone, 2 + 0.1 * alone) << "a polynomial in all of A";
}

TEST_F(OnRanks, RightHandSidesAndGuessesOfFilesAreHandedOut) {
    std::string b = "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " 2\n";
    for (int i = 0; i < 2 * n; ++i) b += std::to_string((i * 7) % 11 + 1) + '\n';
    folder.write("b.mtx", b);
    for (const Words& solver : {Words{"--solver", "cg"}, Words{"--solver", "block-cg"}}) {
        Words words{"a.mtx", "--rhs", "b.mtx", "-o", "x.mtx"};
        words.insert(words.end(), solver.begin(), solver.end());
        report_of(1, words);
        const std::vector<double> alone = read_numbers(folder / "x.mtx");
        report_of(3, words);
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        ASSERT_EQ(x.size(), alone.size());
        const double largest = *std::max_element(alone.begin(), alone.end());
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], alone[i], 1e-4 * largest) << i;
        const Json again = report_of(2, {"a.mtx", "--rhs", "b.mtx", "--guess", "x.mtx", "--rtol", "1e-7"});
        EXPECT_EQ(again["result"]["iterations"], 0) << "the guess solves it";
    }
    EXPECT_LE(report_of(3, {"a.mtx", "--rhs", "consistent", "--rtol", "1e-12"})["result"]["error"], 1e-6);
}

TEST_F(OnRanks, StandardInputIsReadByTheFirst) {
    const Running typed{.input = folder.read("a.mtx")};
    const Finished run = folder.run(on_ranks(3, {"solve", "-", "-o", "x.mtx", "--json", "j.json"}), typed);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_solution(Json::parse(folder.read("j.json")), "a.mtx");
}

TEST_F(OnRanks, OneSpeaksForAll) {
    const Finished run = folder.run(on_ranks(4, {"solve", "a.mtx"}));
    std::size_t results = 0;
    for (std::size_t at = 0; (at = run.out.find("result ", at)) != std::string::npos; ++at) ++results;
    EXPECT_EQ(results, 1u) << run.out;
    EXPECT_NE(run.out.find("ranks      4 on 1 host"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << "mpirun shows each process a terminal that is none";
    EXPECT_EQ(folder.run(on_ranks(2, {"--version"})).out.find("stiefel "), 0u);
}

/// A factor of all rows by the first rank, also in single precision and as a block.
TEST_F(OnRanks, AutoGoesOnWithAFactorWhereRowsAreFewAndIterationsMany) {
    const std::string matrix = "generate:anisotropic2d:60:epsilon=1e-3";
    ASSERT_EQ(
        folder.run(on_ranks(1, {"generate", "anisotropic2d", "60", "--epsilon", "1e-3", "-o", "g.mtx"})).exit_code, 0);
    for (const auto& [ranks, more] :
         std::vector<std::pair<int, Words>>{{2, {}}, {3, {"--backend", "serial"}}, {4, {"--solver", "block-cg"}}}) {
        Words words{matrix, "-o", "x.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Json report = report_of(ranks, words);
        const std::string reason = report["method"]["preconditioner_reason"];
        EXPECT_EQ(report["method"]["preconditioner"], "cholesky") << reason;
        EXPECT_NE(reason.find("; what cholesky still needs was to take as long as some "), std::string::npos) << reason;
        EXPECT_NE(reason.find("; the first rank has the factor, of all rows"), std::string::npos) << reason;
        EXPECT_LE(report["result"]["iterations"].get<double>(), 35);
        EXPECT_FALSE(report["preconditioner"]["factorisation"].is_null());
        expect_solution(report, "g.mtx");
    }
    const Json single = report_of(2, {matrix, "--precision", "single", "--rtol", "1e-4"});
    EXPECT_EQ(single["method"]["preconditioner"], "cholesky");
    // The same decisions and bits in every run.
    const auto x = [&] {
        report_of(3, {matrix, "-o", "x.mtx"});
        return folder.read("x.mtx");
    };
    EXPECT_EQ(x(), x());
}

/// The set-up of multigrid, which follows within the solve, is no part of it.
TEST_F(OnRanks, WaitsOfASolveAreShorterThanIt) {
    const Json report = report_of(2, {"generate:poisson2d:240"});
    ASSERT_EQ(report["method"]["preconditioner"], "amg");
    const double solve = report["seconds"]["solve"];
    for (const Json& rank : report["ranks"]["of"]) {
        EXPECT_LT(rank["sum_seconds"].get<double>() + rank["halo_seconds"].get<double>(), solve);
    }
}

}  // namespace
}  // namespace stiefel::test
