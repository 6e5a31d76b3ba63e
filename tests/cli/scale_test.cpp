// --scale, seen from outside: systems whose rows are in units far apart.

#include "cli/poisson_command.hpp"
#include "stiefel/cli/solve/scaling.hpp"
#include "stiefel/problems/random.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stiefel::test {
namespace {

/// S L S of a grid's L, S from 10^-decades to 10^decades by chance, and b = S f, f in (-1, 1).
class Scale : public GeneratedSystem {
protected:
    static constexpr int side = 30, n = side * side;

    void write_system(double decades, int columns = 1) {
        std::vector<double> s;
        for (int i = 0; i < n; ++i) s.push_back(std::pow(10, decades * uniform(0, i)));
        std::string lines;
        int count = 0;
        const auto add = [&](int i, int j, double value) {
            lines += fmt::format("{} {} {}\n", i + 1, j + 1, value * s[i] * s[j]);
            ++count;
        };
        for (int i = 0; i < n; ++i) {
            add(i, i, 4.01);
            if (i % side > 0) add(i, i - 1, -1);
            if (i >= side) add(i, i - side, -1);
        }
        folder.write("a.mtx",
                     fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n{}", n, n, count, lines));
        b.clear();
        std::string file = fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", n, columns);
        for (int j = 0; j < columns; ++j) {
            b.emplace_back();
            for (int i = 0; i < n; ++i) b.back().push_back(s[i] * uniform(j + 1, i));
            for (const double value : b.back()) file += fmt::format("{}\n", value);
        }
        folder.write("b.mtx", file);
    }

    static double uniform(int stream, int i) { return 2 * RandomRow(7, stream).uniform(i) - 1; }

    Json run(const Words& words, int expected_exit = 0) {
        Words all{"solve", "a.mtx", "--json", "j.json", "-o", "x.mtx"};
        all.insert(all.end(), words.begin(), words.end());
        const Finished finished = folder.run(all);
        EXPECT_EQ(finished.exit_code, expected_exit) << finished.err << finished.out;
        text = finished.out;
        return Json::parse(folder.read("j.json"));
    }

    /// x as it is written solves A x = b as both are written, to what the report says.
    void expect_solved(const Json& report, double most) {
        const std::vector<double> x = read_numbers(folder / "x.mtx");
        ASSERT_EQ(x.size(), n * b.size());
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>(n * j);
            const TrueResidual is = true_residual(folder / "a.mtx", {begin, begin + n}, b[j]);
            const double said = report["columns"][j]["relative_residual"];
            EXPECT_LE(std::abs(said - is.relative), is.rounding) << j;
            EXPECT_LE(is.relative, most + is.rounding) << j;
        }
    }

    std::vector<std::vector<double>> b;
};

TEST_F(Scale, SolvesWhatIsInUnitsFarApart) {
    write_system(6);
    const Words words{"--rhs", "b.mtx", "--preconditioner", "none", "--max-iterations", "3000"};
    EXPECT_EQ(run(words, 3)["method"]["scale"], "none");
    for (const char* backend : {"serial", "openmp"}) {
        Words scaled = words;
        scaled.insert(scaled.end(), {"--scale", "diagonal", "--backend", backend});
        const Json report = run(scaled);
        EXPECT_EQ(report["method"]["scale"], "diagonal");
        EXPECT_LE(report["result"]["iterations"], 400);
        expect_solved(report, 1e-8);
    }
    EXPECT_NE(text.find("\nscale      D A D y = D b, x = D y (the diagonal, from "), std::string::npos) << text;
}

/// With every preconditioner, in blocks, in another order, from a guess: x is that of the file.
TEST_F(Scale, GoesTogetherWithAllElse) {
    write_system(2, 3);
    for (const Words& words : {Words{"--preconditioner", "ic", "--ic-threshold", "0.01"},
                               {"--preconditioner", "chebyshev"},
                               {"--preconditioner", "cholesky", "--backend", "openmp"},
                               {"--preconditioner", "auto"},
                               {"--preconditioner", "none", "--reorder", "rcm"},
                               {"--preconditioner", "jacobi", "--solver", "block-cg", "--reorder", "amd"},
                               {"--preconditioner", "none", "--solver", "block-cg", "--block", "2"},
                               {"--preconditioner", "none", "--solver", "both"}}) {
        SCOPED_TRACE(fmt::format("{} {}", words[1], words.size() > 3 ? words[3] : ""));
        Words scaled = words;
        scaled.insert(scaled.end(), {"--rhs", "b.mtx", "--scale", "diagonal", "--report", "page.html"});
        expect_solved(run(scaled), 1e-8);
        EXPECT_NE(folder.read("page.html").find("D A D y = D b, x = D y"), std::string::npos);
        folder.write("guess.mtx", folder.read("x.mtx"));
        scaled.insert(scaled.end(), {"--guess", "guess.mtx"});
        EXPECT_LE(run(scaled)["result"]["iterations"], 3) << "the guess is the solution";
    }
}

TEST_F(Scale, GoesOnUntilTheResidualOfTheFileIsReached) {
    write_system(2);
    b.assign(1, std::vector<double>(n, 1.0));
    const Json report = run({"--rhs", "ones", "--preconditioner", "none", "--scale", "diagonal"});
    EXPECT_GE(report["result"]["scaled_solves_continued"], 1);
    expect_solved(report, 1e-8);
    EXPECT_NE(text.find("; solved on "), std::string::npos) << text;
    const Json absolute =
        run({"--rhs", "ones", "--preconditioner", "none", "--scale", "diagonal", "--rtol", "0", "--atol", "1e-6"});
    expect_solved(absolute, 1e-6 / std::sqrt(n));
}

/// Rounding of y, which all rows see, is in rows 10^12 apart.
TEST_F(Scale, SaysWhatWasReachedWhereRoundingEndsIt) {
    write_system(6);
    b.assign(1, std::vector<double>(n, 1.0));
    const Json report = run({"--rhs", "ones", "--preconditioner", "none", "--scale", "diagonal"}, 3);
    EXPECT_EQ(report["result"]["reason"], "stagnated");
    EXPECT_GT(report["result"]["relative_residual"], 1e-8);
    expect_solved(report, std::numeric_limits<double>::infinity());
    const Json ended =
        run({"--rhs", "ones", "--preconditioner", "none", "--scale", "diagonal", "--max-iterations", "130"}, 3);
    EXPECT_EQ(ended["result"]["reason"], "max_iterations");
    EXPECT_EQ(ended["result"]["iterations"], 130);
}

TEST_F(Scale, KnowsTheSolutionOfAConsistentSystemInItsUnits) {
    write_system(1);
    const Json report = run({"--rhs", "consistent", "--preconditioner", "none", "--scale", "diagonal"});
    EXPECT_LE(report["result"]["error"], 1e-3);
    const Json single = run({"--rhs", "consistent", "--scale", "diagonal", "--precision", "single", "--rtol", "1e-5"});
    EXPECT_LE(single["result"]["relative_residual"], 1e-5);
    EXPECT_LE(single["result"]["error"], 0.1);
}

TEST_F(Scale, NoneIsAsIfThereWereNoSuchOption) {
    write_system(2);
    run({"--rhs", "b.mtx"});
    const std::string x = folder.read("x.mtx");
    const Json report = run({"--rhs", "b.mtx", "--scale", "none"});
    EXPECT_EQ(folder.read("x.mtx"), x);
    EXPECT_TRUE(report["method"]["scale_reason"].is_null());
}

TEST_F(Scale, RefusesWhatCannotBe) {
    const auto error = [&](const Words& words, int exit_code) {
        const Finished finished = folder.run(words);
        EXPECT_EQ(finished.exit_code, exit_code) << finished.err;
        return finished.err;
    };
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n");
    EXPECT_NE(error({"solve", "a.mtx", "--scale", "diagonal"}, 4).find("diagonal entry (2, 2) is negative"),
              std::string::npos);
    folder.write("xyz.mtx", "0 0\n0 1\n");
    EXPECT_NE(error({"solve", "a.mtx", "--scale", "diagonal", "--coordinates", "xyz.mtx"}, 1).find("give one"),
              std::string::npos);
    EXPECT_NE(error({"solve", "a.mtx", "--scale", "rows"}, 1).find("diagonal"), std::string::npos);
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1e-300\n2 2 1e300\n");
    folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e200\n1e-300\n");
    EXPECT_NE(error({"solve", "a.mtx", "--scale", "diagonal", "--rhs", "b.mtx"}, 2).find("leave --scale out"),
              std::string::npos);
}

TEST(Scaling, RoundsNothingAndLevelsTheDiagonal) {
    for (const double entry : {1e-300, 0.3, 1.0, 2.0, 7.0, 1e300}) {
        HostCsr<double> a{.n_rows = 1,
                          .n_cols = 1,
                          .row_ptr = RowOffsets<HostMemory>(HostVector<std::int32_t>{0, 1}),
                          .col_idx = HostVector<Index>{0},
                          .values = HostVector<double>{entry}};
        const HostVector<double> d = cli::diagonal_scale(a);
        int exponent = 0;
        EXPECT_EQ(std::frexp(d[0], &exponent), 0.5) << "a power of two";
        OpenMP host(1);
        cli::scale_symmetrically(host, d, a);
        EXPECT_EQ(a.values[0], entry * d[0] * d[0]);
        EXPECT_GE(a.values[0], 0.499);
        EXPECT_LE(a.values[0], 2.001);
    }
    const HostVector<double> d{std::exp2(-600), 1, std::exp2(600)};
    HostVector<double> v{1, 2, std::exp2(600)};
    EXPECT_FALSE(cli::multiply_by(d, v)) << "beyond the range";
    HostVector<double> w{3, 5, 7};
    EXPECT_TRUE(cli::multiply_by(d, w));
    EXPECT_EQ(cli::unscaled_norm(d, w.data(), 3), std::hypot(3.0, 5.0, 7.0));
    EXPECT_TRUE(cli::divide_by(d, w));
    EXPECT_EQ(w[2], 7);
}

}  // namespace
}  // namespace stiefel::test
