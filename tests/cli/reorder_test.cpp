// --reorder, seen from outside.

#include "cli/poisson_command.hpp"
#include "stiefel/core/types.hpp"

#include <cmath>

namespace stiefel::test {
namespace {

class Reorder : public GeneratedSystem {
protected:
    Json solved(const Words& words) {
        Words all{"--backend", "openmp"};
        all.insert(all.end(), words.begin(), words.end());
        return GeneratedSystem::solved(all);
    }
};

/// x comes in the order of the file, for every right-hand side and from every guess.
TEST_F(Reorder, LeavesXAsTheFileHasIt) {
    generate({"graph_laplacian", "900"});
    for (const char* rhs : {"random", "random:3"}) {
        solved({"--rhs", rhs, "--rtol", "1e-12", "--reorder", "none", "-o", "x.mtx"});
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        for (const char* order : {"rcm", "amd"}) {
            for (const Words& guess : {Words{}, Words{"--guess", "x.mtx"}}) {
                Words words{"--rhs", rhs, "--rtol", "1e-12", "--reorder", order, "-o", "y.mtx"};
                words.insert(words.end(), guess.begin(), guess.end());
                const Json report = solved(words);
                EXPECT_EQ(report["method"]["reorder"], order);
                EXPECT_FALSE(report["method"]["reorder_reason"].is_null());
                if (!guess.empty()) {
                    EXPECT_LE(report["result"]["iterations"], 1) << "the guess is the solution";
                }
                const std::vector<double> y = read_numbers(folder / "y.mtx");
                ASSERT_EQ(x.size(), y.size());
                for (std::size_t i = 0; i < x.size(); ++i) {
                    ASSERT_NEAR(x[i], y[i], 1e-9 * (1 + std::abs(x[i]))) << order << ' ' << i;
                }
            }
        }
    }
    EXPECT_NE(text.find("order      approximate minimum degree"), std::string::npos) << text;
}

/// The unknowns of a node stay a block.
TEST_F(Reorder, KeepsNodesTogether) {
    generate({"elasticity3d", "6"});
    const Json report = solved({"--preconditioner", "amg", "--reorder", "rcm"});
    EXPECT_EQ(report["preconditioner"]["block_size"], 3);
}

TEST_F(Reorder, LeavesSmallAndOrderlyOnes) {
    generate({"poisson2d", "30"});
    const Json report = solved({});
    EXPECT_EQ(report["method"]["reorder"], "none");
    EXPECT_TRUE(report["method"]["reorder_reason"].is_null());
    EXPECT_EQ(text.find("\norder "), std::string::npos) << text;
}

/// 250,000 rows numbered by chance: every row is one of a grid's, i -> 104729 i modulo the rows.
TEST_F(Reorder, BringsTogetherWhatIsNumberedByChance) {
    constexpr Size side = 500, n = side * side, step = 104729;
    std::string file = "%%MatrixMarket matrix coordinate real symmetric\n";
    std::string entries;
    Size count = 0;
    const auto number = [](Size i) { return i * step % n + 1; };
    const auto add = [&](Size i, Size j, const char* value) {
        const Size a = number(i), b = number(j);
        entries += std::to_string(std::max(a, b)) + ' ' + std::to_string(std::min(a, b)) + ' ' + value + '\n';
        ++count;
    };
    for (Size i = 0; i < n; ++i) {
        add(i, i, "4.5");
        if (i % side + 1 < side) add(i, i + 1, "-1");
        if (i + side < n) add(i, i + side, "-1");
    }
    file += std::to_string(n) + ' ' + std::to_string(n) + ' ' + std::to_string(count) + '\n' + entries;
    folder.write("a.mtx", file);
    const Json report = solved({"--rhs", "consistent"});
    EXPECT_EQ(report["method"]["reorder"], "rcm") << report["method"]["reorder_reason"];
    EXPECT_LE(report["result"]["error"], 1e-6);
    const Json as_it_is = solved({"--rhs", "consistent", "--reorder", "none"});
    EXPECT_EQ(as_it_is["method"]["reorder"], "none");
}

TEST_F(Reorder, RefusesWhatDoesNotGoTogether) {
    generate({"poisson2d", "5"});
    folder.write("xyz.mtx", "0 0\n");
    const Finished run = folder.run({"solve", "a.mtx", "--reorder", "rcm", "--coordinates", "xyz.mtx"});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.err.find("--reorder moves rows"), std::string::npos) << run.err;
    const Finished word = folder.run({"solve", "a.mtx", "--reorder", "rmc"});
    EXPECT_EQ(word.exit_code, 1);
    EXPECT_NE(word.err.find("rcm"), std::string::npos) << word.err;
}

}  // namespace
}  // namespace stiefel::test
