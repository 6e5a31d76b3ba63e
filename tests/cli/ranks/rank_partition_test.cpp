// Rows that --partition has put with other ranks: the same answers, in the file's order.
#include "cli/ranks/shuffled_grid.hpp"
#include "cli/systems.hpp"

namespace stiefel::test {
namespace {

class PartitionOnRanks : public ::testing::Test {
protected:
    static constexpr int edge = 16, n = edge * edge * edge;

    PartitionOnRanks() {
        const Words lines = shuffled_lines(edge, edge, edge);
        folder.write("a.mtx", matrix_text("symmetric", n, lines.size(), lines));
    }

    Json report_of(int ranks, const Words& more) {
        Words words{"solve", "a.mtx", "--preconditioner", "jacobi", "--json", "j.json", "-o", "x.mtx"};
        words.insert(words.end(), more.begin(), more.end());
        const Finished run = folder.run(on_ranks(ranks, words));
        EXPECT_EQ(run.exit_code, 0) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    void expect_solution(const std::string& matrix, const std::vector<double>& b) {
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        const TrueResidual exact = true_residual(folder / matrix, x, b);
        EXPECT_LE(exact.relative, 1.1e-8 + exact.rounding);
    }

    bool is_built_with(const std::string& library) {
        const Finished run = folder.run(on_ranks(2, {"solve", "generate:poisson1d:9", "--partition", library, "-q"}));
        if (run.exit_code == 0) return true;
        EXPECT_EQ(run.exit_code, 1);
        EXPECT_NE(run.err.find("--partition " + library + ": this Stiefel was built without it"), std::string::npos)
            << run.err;
        return false;
    }

    Folder folder;
};

TEST_F(PartitionOnRanks, LibrariesShrinkTheHaloAndNothingElse) {
    std::string b = "%%MatrixMarket matrix array real general\n" + std::to_string(n) + " 1\n";
    std::vector<double> numbers;
    for (int i = 0; i < n; ++i) {
        numbers.push_back(i % 11 + 1);
        b += std::to_string(i % 11 + 1) + '\n';
    }
    folder.write("b.mtx", b);
    const Json blocks = report_of(3, {"--partition", "blocks", "--rhs", "b.mtx"});
    EXPECT_EQ(blocks["ranks"]["partition"], "blocks");
    const double iterations = blocks["result"]["iterations"], halo = blocks["ranks"]["halo_bytes"];
    int n_libraries = 0;
    for (const std::string library : {"scotch", "metis"}) {
        if (!is_built_with(library)) continue;
        SCOPED_TRACE(library);
        ++n_libraries;
        const Json report = report_of(3, {"--partition", library, "--rhs", "b.mtx"});
        EXPECT_EQ(report["ranks"]["partition"], library);
        EXPECT_LT(report["ranks"]["halo_bytes"].get<double>(), 0.25 * halo);
        EXPECT_LT(report["ranks"]["imbalance"], 1.15);
        EXPECT_NEAR(report["result"]["iterations"].get<double>(), iterations, 2);
        expect_solution("a.mtx", numbers);
        // The guess goes out in the order that x came in.
        folder.write("guess.mtx", folder.read("x.mtx"));
        const Json again =
            report_of(3, {"--partition", library, "--rhs", "b.mtx", "--guess", "guess.mtx", "--rtol", "1e-7"});
        EXPECT_EQ(again["result"]["iterations"], 0);
    }
    const Json automatic = report_of(3, {"--rhs", "b.mtx"});
    EXPECT_EQ(automatic["ranks"]["partition"] == "blocks", n_libraries == 0);
    if (is_built_with("metis")) {
        EXPECT_EQ(automatic["ranks"]["partition"], "metis") << "the sooner done";
    }
    expect_solution("a.mtx", numbers);
}

/// Of slabs multigrid takes as many iterations as of the whole grid, of parts with ragged borders twice as many.
TEST_F(PartitionOnRanks, AutoKeepsSlabsForMultigrid) {
    const auto solved = [&](int ranks) {
        const Finished run = folder.run(on_ranks(ranks, {"solve", "generate:poisson3d:30", "--preconditioner", "amg",
                                                         "--rhs", "random", "--json", "j.json"}));
        EXPECT_EQ(run.exit_code, 0) << run.err;
        return Json::parse(folder.read("j.json"));
    };
    const Json alone = solved(1), shared = solved(4);
    EXPECT_EQ(shared["ranks"]["partition"], "blocks");
    EXPECT_LE(shared["result"]["iterations"].get<double>(), 1.15 * alone["result"]["iterations"].get<double>());
}

TEST_F(PartitionOnRanks, AutoKeepsAnOrderWhoseHaloIsSmall) {
    const Words words{"solve", "generate:poisson3d:8:8:80", "--json", "j.json"};
    ASSERT_EQ(folder.run(on_ranks(4, words)).exit_code, 0);
    const Json ranks = Json::parse(folder.read("j.json"))["ranks"];
    EXPECT_EQ(ranks["partition"], "blocks");
    const std::string reason = ranks["partition_reason"];
    EXPECT_NE(reason.find("of the file's order, whose halo is "), std::string::npos) << reason;
}

TEST_F(PartitionOnRanks, MoreRanksThanRowsAndAFaultInOne) {
    for (const std::string library : {"scotch", "metis"}) {
        if (!is_built_with(library)) continue;
        folder.write("small.mtx", matrix_text("symmetric", 2, 3, {"1 1 2", "2 2 2", "2 1 -1"}));
        const Words small{"solve", "small.mtx", "--partition", library, "-o", "x.mtx", "--json", "j.json"};
        ASSERT_EQ(folder.run(on_ranks(4, small)).exit_code, 0);
        expect_solution("small.mtx", {1, 1});
        // A row is told by its number in the file.
        Words lines = shuffled_lines(4, 4, 4);
        lines.push_back("9 9 -40");
        folder.write("broken.mtx", matrix_text("symmetric", 64, lines.size(), lines));
        const Finished broken = folder.run(on_ranks(3, {"solve", "broken.mtx", "--partition", library}));
        EXPECT_EQ(broken.exit_code, 4);
        EXPECT_NE(broken.err.find("its diagonal entry (9, 9) is negative"), std::string::npos) << broken.err;
    }
}

}  // namespace
}  // namespace stiefel::test
