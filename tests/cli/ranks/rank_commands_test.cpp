// mpirun -np n stiefel eigen, info, and solve of what is in no file: as one process does them.
#include "cli/documented_json.hpp"
#include "cli/ranks/ranks_command.hpp"
#include "cli/systems.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::test {
namespace {

class CommandsOnRanks : public ::testing::Test {
protected:
    Json report_of(int ranks, Words words, int expected_exit = 0) {
        words.insert(words.end(), {"--json", "j.json"});
        const Finished run = folder.run(on_ranks(ranks, words));
        EXPECT_EQ(run.exit_code, expected_exit) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    /// |A v - lambda v| <= rtol |lambda| for the columns of V.mtx, A that of the 5-point differences on nx x ny points.
    void expect_pairs(const Json& report, int nx, int ny) {
        const std::vector<double> v = read_numbers(folder / "V.mtx");
        const auto k = report["pairs"].size(), n = static_cast<std::size_t>(nx * ny);
        ASSERT_EQ(v.size(), k * n);
        for (std::size_t j = 0; j < k; ++j) {
            const double lambda = report["pairs"][j]["value"];
            const auto at = [&](int x, int y) {
                if (x < 0 || x >= nx || y < 0 || y >= ny) return 0.0;
                return v[j * n + static_cast<std::size_t>(y * nx + x)];
            };
            double residual = 0, norm = 0;
            for (int y = 0; y < ny; ++y) {
                for (int x = 0; x < nx; ++x) {
                    const double av = 4 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1);
                    residual += std::pow(av - lambda * at(x, y), 2);
                    norm += std::pow(at(x, y), 2);
                }
            }
            EXPECT_NEAR(norm, 1, 1e-10);
            EXPECT_LE(std::sqrt(residual), 1.01e-8 * lambda + 1e-13) << j;
        }
    }

    Folder folder;
};

TEST_F(CommandsOnRanks, EigenpairsAreThoseOfOneProcess) {
    const Words methods[] = {{"--count", "3", "--preconditioner", "jacobi", "--which", "largest"},
                             {"--count", "3"},
                             {"--count", "2", "--method", "subspace"},
                             {"--count", "1", "--method", "power", "--which", "magnitude", "--rtol", "1e-3"}};
    for (const Words& method : methods) {
        SCOPED_TRACE(method.back());
        Words words{"eigen", "generate:poisson2d:20:12", "-o", "V.mtx"};
        words.insert(words.end(), method.begin(), method.end());
        const Json ranks = report_of(3, words);
        if (method.size() == 2)  // multigrid is of blocks, so not taken by itself
            words.insert(words.end(), {"--preconditioner", ranks["method"]["preconditioner"].get<std::string>()});
        const bool is_sharp = method.back() != "1e-3";
        if (is_sharp) expect_pairs(ranks, 20, 12);
        const Json alone = report_of(1, words);
        EXPECT_NEAR(ranks["result"]["iterations"].get<double>(), alone["result"]["iterations"].get<double>(), 1);
        for (std::size_t i = 0; i < alone["pairs"].size(); ++i) {
            EXPECT_NEAR(ranks["pairs"][i]["value"].get<double>(), alone["pairs"][i]["value"].get<double>(), 1e-12);
        }
        EXPECT_EQ(ranks["ranks"]["number"], 3);
        EXPECT_GT(ranks["ranks"]["halo_bytes"], 0);
        expect_named_in_docs(ranks["ranks"]);
    }
}

TEST_F(CommandsOnRanks, EigenpairsWithRanksThatHaveNoRows) {
    const Json small = report_of(4, {"eigen", "generate:poisson2d:3:1", "-o", "V.mtx", "--count", "2"});
    expect_pairs(small, 3, 1);
    const Finished more = folder.run(on_ranks(2, {"eigen", "generate:poisson2d:3:1", "--count", "4"}));
    EXPECT_EQ(more.exit_code, 1);
    ASSERT_EQ(said(more).size(), 1u) << more.err;
    EXPECT_EQ(said(more).front(), "stiefel: --count 4: generate:poisson2d:3:1 has only 3 rows");
}

TEST_F(CommandsOnRanks, WhatIsMadeInPlaceIsWhatAFileWouldHold) {
    const struct {
        std::string words;
        Words generate;
    } cases[] = {
        {"generate:jump_diffusion3d:9:7:8:contrast=100", {"jump_diffusion3d", "9", "7", "8", "--contrast", "100"}},
        {"generate:elasticity3d:6:4:5", {"elasticity3d", "6", "4", "5"}},
        {"generate:random_spd:500:degree=5", {"random_spd", "500", "--degree", "5"}}};
    for (const auto& [made, generate] : cases) {
        SCOPED_TRACE(made);
        Words words{"generate", "-o", "a.mtx"};
        words.insert(words.begin() + 1, generate.begin(), generate.end());
        ASSERT_EQ(folder.run(on_ranks(1, words)).exit_code, 0);
        const Words method{"--preconditioner", "jacobi", "-o", "x.mtx", "--rhs", "random"};
        const auto solve = [&](const std::string& matrix) {
            Words all{"solve", matrix};
            all.insert(all.end(), method.begin(), method.end());
            return all;
        };
        const Json file = report_of(1, solve("a.mtx"));
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        for (const int ranks : {1, 3}) {
            const Json report = report_of(ranks, solve(made));
            EXPECT_EQ(report["matrix"]["nnz"], file["matrix"]["nnz"]);
            EXPECT_EQ(report["matrix"]["symmetry"], "symmetric");
            EXPECT_NEAR(report["result"]["iterations"].get<double>(), file["result"]["iterations"].get<double>(), 2);
            EXPECT_EQ(report["result"]["rhs_norm"].get<float>(), file["result"]["rhs_norm"].get<float>());
            const std::vector<double> same = read_numbers(folder / "x.mtx");
            ASSERT_EQ(same.size(), x.size());
            const double largest = std::abs(
                *std::max_element(x.begin(), x.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
            for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(same[i], x[i], 1e-4 * largest) << i;
        }
    }
}

TEST_F(CommandsOnRanks, WordsOfAGeneratedMatrixAreRefusedOnce) {
    const Finished run = folder.run(on_ranks(2, {"solve", "generate:poisson3d:0"}));
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(said(run), (Words{"stiefel: generate:poisson3d:0: poisson3d: nx = 0, expected at least 1"}));
}

TEST_F(CommandsOnRanks, InfoSaysWhoWouldHoldWhat) {
    const Json alone = report_of(1, {"info", "generate:poisson2d:20:12"});
    EXPECT_TRUE(alone["ranks"].is_null());
    Json report = report_of(4, {"info", "generate:poisson2d:20:12"});
    const Json ranks = report["ranks"];
    ASSERT_EQ(ranks["of"].size(), 4u);
    EXPECT_EQ(ranks["halo_bytes"], 6 * 20 * 8) << "a line of 20 points crosses each of three borders, either way";
    EXPECT_TRUE(ranks["halo_seconds"].is_null());
    EXPECT_EQ(ranks["of"][0]["rows"], 60);
    EXPECT_EQ(ranks["of"][1]["neighbours"], 2);
    for (const char* same :
         {"matrix", "row_lengths", "bandwidth", "values", "symmetry", "diagonal", "components", "solvable", "bytes"})
        EXPECT_EQ(report[same], alone[same]) << same;
    const Finished text = folder.run(on_ranks(2, {"info", "generate:power_law_rows:50:40"}));
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_NE(text.out.find("size         50 x 40"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("ranks "), std::string::npos) << "nobody solves with it";
}

}  // namespace
}  // namespace stiefel::test
