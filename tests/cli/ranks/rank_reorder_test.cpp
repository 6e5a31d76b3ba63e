// --reorder on ranks: each orders the rows that it holds, and x comes in the file's order.
#include "cli/ranks/shuffled_grid.hpp"
#include "cli/systems.hpp"

#include <cmath>
#include <sstream>

namespace stiefel::test {
namespace {

class ReorderOnRanks : public ::testing::Test {
protected:
    static constexpr int nx = 14, ny = 11, nz = 13, n = nx * ny * nz;

    ReorderOnRanks() {
        const Words lines = shuffled_lines(nx, ny, nz);
        folder.write("a.mtx", matrix_text("symmetric", n, lines.size(), lines));
        std::string file = "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " 1\n";
        for (int i = 0; i < n; ++i) {
            b.push_back(i % 11 + 1);
            file += std::to_string(i % 11 + 1) + '\n';
        }
        folder.write("b.mtx", file);
    }

    Json solved(int ranks, Words words) {
        words.insert(words.begin(), "solve");
        words.insert(words.end(), {"--json", "j.json", "-o", "x.mtx"});
        const Finished run = folder.run(on_ranks(ranks, words));
        EXPECT_EQ(run.exit_code, 0) << run.err;
        text = run.out;
        return Json::parse(folder.read("j.json"));
    }
    /// Of a.mtx and b.mtx, until rounding ends it nearly.
    Json solved_by(const std::string& preconditioner, int ranks, Words words) {
        words.insert(words.begin(), {"a.mtx", "--rhs", "b.mtx", "--rtol", "1e-12", "--preconditioner", preconditioner});
        return solved(ranks, words);
    }
    std::vector<double> x() { return read_numbers(folder / "x.mtx"); }

    /// The partitions that this build has.
    Words partitions() {
        Words there{"blocks"};
        for (const std::string library : {"metis", "scotch"}) {
            const Words words{"solve", "generate:poisson1d:9", "--partition", library, "-q"};
            if (folder.run(on_ranks(2, words)).exit_code == 0) there.push_back(library);
        }
        return there;
    }

    /// held.mtx: a generated body, of whose every 20th node the first unknown is coupled to nothing.
    void hold_some(const std::string& kind, const std::string& x, const std::string& y, const std::string& z) {
        ASSERT_EQ(folder.run(on_ranks(1, {"generate", kind, x, y, z, "-o", "k.mtx", "-q"})).exit_code, 0);
        std::istringstream file(folder.read("k.mtx"));
        std::string line;
        while (std::getline(file, line) && line.starts_with('%')) continue;
        const int n_rows = std::stoi(line);
        const auto is_held = [](int row) { return (row - 1) % 60 == 0; };
        Words lines;
        while (std::getline(file, line)) {
            std::istringstream entry(line);
            int i = 0, j = 0;
            entry >> i >> j;
            if (i == j || !(is_held(i) || is_held(j))) lines.push_back(line);
        }
        folder.write("held.mtx", matrix_text("symmetric", n_rows, lines.size(), lines));
    }

    static void expect_near(const std::vector<double>& y, const std::vector<double>& x) {
        ASSERT_EQ(y.size(), x.size());
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], x[i], 1e-9 * (1 + std::abs(x[i]))) << i;
    }

    Folder folder;
    std::vector<double> b;
    std::string text;
};

TEST_F(ReorderOnRanks, ScalingIsRefusedWithTheWayOut) {
    const Finished run = folder.run(on_ranks(2, {"solve", "a.mtx", "--scale", "diagonal"}));
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.err.find("--scale: not on several ranks; leave it out"), std::string::npos) << run.err;
}

TEST_F(ReorderOnRanks, SolvesTheSameAndLeavesXAsTheFileHasIt) {
    const double iterations = solved_by("jacobi", 1, {"--reorder", "none"})["result"]["iterations"];
    const std::vector<double> alone = x();
    folder.write("guess.mtx", folder.read("x.mtx"));
    for (const std::string& partition : partitions()) {
        for (const int ranks : {2, 3}) {
            for (const char* order : {"rcm", "amd"}) {
                SCOPED_TRACE(partition + ' ' + std::to_string(ranks) + ' ' + order);
                Words words{"--reorder", order, "--partition", partition};
                const Json report = solved_by("jacobi", ranks, words);
                EXPECT_EQ(report["method"]["reorder"], order);
                const Json& reason = report["method"]["reorder_reason"];
                ASSERT_FALSE(reason.is_null());
                EXPECT_TRUE(reason.get<std::string>().starts_with("within each rank, rows that are coupled lie"));
                EXPECT_EQ(report["ranks"]["partition"], partition);
                EXPECT_NEAR(report["result"]["iterations"].get<double>(), iterations, 2);
                expect_near(x(), alone);
                EXPECT_LE(true_residual(folder / "a.mtx", x(), b).relative, 1e-10);
                if (ranks == 2) continue;
                words.insert(words.end(), {"--guess", "guess.mtx"});
                EXPECT_LE(solved_by("jacobi", ranks, words)["result"]["iterations"], 1) << "the guess is the solution";
            }
        }
    }
    EXPECT_NE(text.find("\norder      approximate minimum degree (within each rank, "), std::string::npos) << text;
}

/// What one process would draw, and many columns.
TEST_F(ReorderOnRanks, RandomColumnsAreThoseOfTheFilesRows) {
    const auto columns = [&](int ranks, const char* order, const char* solver) {
        solved(ranks, {"a.mtx", "--rhs", "random:3", "--rtol", "1e-12", "--reorder", order, "--solver", solver});
        return x();
    };
    const std::vector<double> alone = columns(1, "none", "cg");
    expect_near(columns(3, "rcm", "cg"), alone);
    expect_near(columns(2, "amd", "block-cg"), alone);
    const Words consistent{"a.mtx", "--rhs", "consistent", "--rtol", "1e-12", "--reorder", "rcm"};
    EXPECT_LE(solved(3, consistent)["result"]["error"], 1e-9);
}

TEST_F(ReorderOnRanks, EveryPreconditionerTakesIt) {
    solved_by("none", 1, {"--reorder", "none"});
    const std::vector<double> alone = x();
    for (const std::string preconditioner :
         {"none", "chebyshev", "amg", "block-jacobi", "fsai", "ic", "ssor", "cholesky"}) {
        SCOPED_TRACE(preconditioner);
        solved_by(preconditioner, 3, {"--reorder", "rcm"});
        expect_near(x(), alone);
    }
    const Json single =
        solved(3, {"a.mtx", "--rhs", "b.mtx", "--rtol", "1e-5", "--precision", "single", "--reorder", "rcm"});
    EXPECT_LE(true_residual(folder / "a.mtx", x(), b).relative, 2e-5);
    EXPECT_EQ(single["method"]["reorder"], "rcm");
}

TEST_F(ReorderOnRanks, RanksWithoutRows) {
    folder.write("small.mtx", matrix_text("symmetric", 2, 3, {"1 1 2", "2 2 2", "2 1 -1"}));
    for (const char* preconditioner : {"jacobi", "amg", "cholesky"}) {
        const Json report = solved(4, {"small.mtx", "--preconditioner", preconditioner, "--reorder", "rcm"});
        EXPECT_EQ(report["method"]["reorder"], "rcm");
        for (const double element : x()) EXPECT_NEAR(element, 1, 1e-7);
    }
}

/// Multigrid of each rank's pairs of nodes has other pairs, and nearly as many iterations.
TEST_F(ReorderOnRanks, MultigridOfGridsStaysGood) {
    const Words words{"generate:poisson3d:20:21:22", "--preconditioner", "amg"};
    const auto iterations = [&](int ranks, const char* order) {
        Words all = words;
        all.insert(all.end(), {"--reorder", order});
        return solved(ranks, all)["result"]["iterations"].get<double>();
    };
    const double alone = iterations(1, "rcm");
    EXPECT_LE(alone, 1.6 * iterations(1, "none"));
    for (const int ranks : {2, 3}) EXPECT_LE(iterations(ranks, "rcm"), 2 + 1.2 * alone) << ranks;
}

/// The unknowns of a node stay together, told or found, though one of every 20th node is held and so is coupled to
/// nothing: torn apart, `amg` takes 1.7 times as many iterations.
TEST_F(ReorderOnRanks, NodesStayWhole) {
    hold_some("elasticity3d", "14", "9", "10");
    const Words body{"held.mtx", "--preconditioner", "amg", "--rhs", "random"};
    const double as_it_is = solved(3, body)["result"]["iterations"];
    for (const std::string& partition : partitions()) {
        for (const Words& more : {Words{"--reorder", "rcm"}, Words{"--reorder", "amd", "--block-size", "3"}}) {
            SCOPED_TRACE(partition + ' ' + more[1]);
            Words words = body;
            words.insert(words.end(), {"--partition", partition});
            words.insert(words.end(), more.begin(), more.end());
            const Json report = solved(3, words);
            EXPECT_EQ(report["preconditioner"]["block_size"], 3);
            EXPECT_LE(report["result"]["iterations"].get<double>(), 2 + 1.2 * as_it_is);
            for (const Json& rank : report["ranks"]["of"]) EXPECT_EQ(rank["rows"].get<int>() % 3, 0);
        }
    }
    const Words told{"held.mtx", "--preconditioner", "amg", "--rhs", "random", "--reorder", "rcm", "--block-size", "3"};
    EXPECT_LE(solved(1, told)["result"]["iterations"].get<double>(), 2 + 1.2 * as_it_is);
}

/// 200,000 rows a rank and more that a library has put together and whose numbers say nothing; few, or in a grid's
/// order, they stay.
TEST_F(ReorderOnRanks, AutoBringsTogetherWhatIsNumberedByChance) {
    const Words there = partitions();
    if (there.size() == 1) GTEST_SKIP() << "this build has neither PT-Scotch nor METIS";
    const Words lines = shuffled_lines(650, 650, 1);
    folder.write("large.mtx", matrix_text("symmetric", 650 * 650, lines.size(), lines));
    const Words words{"large.mtx", "--rhs", "consistent", "--preconditioner", "jacobi", "--partition", there[1]};
    const Json report = solved(2, words);
    EXPECT_EQ(report["method"]["reorder"], "rcm") << report["method"]["reorder_reason"];
    EXPECT_LE(report["result"]["error"], 1e-6);
    for (const char* ordered : {"a.mtx", "generate:poisson2d:640"}) {
        const Json left = solved(2, {ordered, "--preconditioner", "jacobi", "--rtol", "1e-2"});
        EXPECT_EQ(left["method"]["reorder"], "none");
        EXPECT_TRUE(left["method"]["reorder_reason"].is_null());
    }
}

TEST_F(ReorderOnRanks, RefusesWhatDoesNotGoTogether) {
    folder.write("xyz.csv", "0,0\n1,0\n");
    const Words refused[] = {{"--reorder", "rcm", "--coordinates", "xyz.csv"}, {"--reorder", "rmc"}};
    for (const Words& more : refused) {
        Words words{"solve", "a.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished alone = folder.run(on_ranks(1, words)), run = folder.run(on_ranks(3, words));
        EXPECT_EQ(run.exit_code, 1);
        ASSERT_EQ(said(run).size(), 1u) << run.err;
        EXPECT_EQ(said(run), said(alone));
        EXPECT_NE(said(run).front().find("--reorder"), std::string::npos) << said(run).front();
    }
}

/// Rows are told by their numbers in the file.
TEST_F(ReorderOnRanks, FaultsAreThoseOfTheFile) {
    Words lines = shuffled_lines(4, 4, 4);
    lines.push_back("9 9 -40");
    lines.push_back("50 50 -40");
    folder.write("broken.mtx", matrix_text("symmetric", 64, lines.size(), lines));
    const Finished broken = folder.run(on_ranks(3, {"solve", "broken.mtx", "--reorder", "rcm"}));
    EXPECT_EQ(broken.exit_code, 4);
    EXPECT_NE(broken.err.find("its diagonal entry (9, 9) is negative"), std::string::npos) << broken.err;
}

}  // namespace
}  // namespace stiefel::test
