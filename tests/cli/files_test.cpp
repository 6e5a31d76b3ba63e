// Files in and out of the program: formats, endings, the cache.

#include "cli/poisson_command.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace stiefel::test {
namespace {

class SolveFiles : public PoissonCommand {
protected:
    SolveFiles() : PoissonCommand("solve", 50) {}

    std::vector<double> solution(const Words& words, const std::string& matrix = "a.mtx") {
        write_solution("x.mtx", words, matrix);
        return read_numbers(folder / "x.mtx");
    }

    /// With a kernel that is always the same, so that x has the same bits.
    void write_solution(const std::string& output, const Words& words, const std::string& matrix = "a.mtx") {
        Words all{"solve", matrix, "-o", output, "-q", "--backend", "openmp", "--format", "csr", "--kernel", "static"};
        all.insert(all.end(), words.begin(), words.end());
        const Finished run = folder.run(all);
        EXPECT_EQ(run.exit_code, 0) << run.err;
    }
};

TEST_F(SolveFiles, OtherFormatsOfTheSameMatrixGiveTheSameSolution) {
    std::ostringstream triplets, boeing;
    triplets << "# i j value, from 0\n";
    boeing << "1-D Poisson\n 3 1 1 1\nRSA            50            50            99             0\n"
           << "(51I4)          (99I3)          (99F3.0)\n";
    std::ostringstream pointers, rows, values;
    int at = 1;
    for (int i = 0; i < 50; ++i) {
        triplets << i << ' ' << i << " 2\n";
        if (i > 0) triplets << i << ' ' << i - 1 << " -1\n" << i - 1 << ' ' << i << " -1\n";
        pointers << std::string(at < 10 ? 3 : at < 100 ? 2 : 1, ' ') << at;
        at += i < 49 ? 2 : 1;
        for (int k = i; k < std::min(i + 2, 50); ++k) {
            rows << (k + 1 < 10 ? "  " : " ") << k + 1;
            values << (k == i ? " 2." : "-1.");
        }
    }
    boeing << pointers.str() << " 100\n" << rows.str() << '\n' << values.str() << '\n';
    folder.write("a.txt", triplets.str());
    folder.write("a.rsa", boeing.str());
    const std::vector<double> x = solution({});
    ASSERT_EQ(x.size(), 50u);
    EXPECT_EQ(solution({}, "a.txt"), x);
    EXPECT_EQ(solution({}, "a.rsa"), x);
    const Finished info = folder.run({"info", "a.rsa"});
    EXPECT_EQ(info.exit_code, 0);
    EXPECT_NE(info.err.find("note: a.rsa: read as Harwell-Boeing"), std::string::npos) << info.err;
}

TEST_F(SolveFiles, TheEndingOfTheOutputSaysItsFormat) {
    const std::vector<double> x = solution({});
    write_solution("x.npy", {});
    const std::string npy = folder.read("x.npy");
    EXPECT_NE(npy.find("'descr': '<f8', 'fortran_order': True, 'shape': (50,), }"), std::string::npos);
    ASSERT_EQ(npy.size(), 128 + 50 * sizeof(double));
    EXPECT_EQ(std::memcmp(npy.data() + 128, x.data(), 50 * sizeof(double)), 0);
    write_solution("x.csv", {});
    std::istringstream csv(folder.read("x.csv"));
    for (const double expected : x) {
        double value = 0;
        csv >> value;
        EXPECT_EQ(value, expected);
    }
    EXPECT_EQ(folder.run({"eigen", "a.mtx", "-k", "2", "-o", "v.npy", "-q"}).exit_code, 0);
    EXPECT_NE(folder.read("v.npy").find("'shape': (50, 2)"), std::string::npos);
}

TEST_F(SolveFiles, EndingsThatAreNotKnownAreAskedAbout) {
    for (const char* command : {"solve", "eigen"}) {
        const Finished run = folder.run({command, "a.mtx", "-o", "x.dat"});
        EXPECT_EQ(run.exit_code, 1);
        for (const char* part : {"--output: x.dat does not end in .mtx", ".npy", ".csv", "which one is meant?"}) {
            EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
        }
    }
    EXPECT_FALSE(folder.has("x.dat"));
}

TEST_F(SolveFiles, NumpyVectorsAreRightHandSidesAndGuesses) {
    write_solution("x.npy", {});
    const Json again = report_of({"--guess", "x.npy"});
    EXPECT_EQ(again["result"]["iterations"], 0);
    write_solution("x.csv", {});
    EXPECT_EQ(report_of({"--guess", "x.csv"})["result"]["iterations"], 0);
    EXPECT_EQ(report_of({"--rhs", "x.npy"})["result"]["reason"], "converged");
}

TEST_F(SolveFiles, TheCacheChangesNothingButWhereTheMatrixComesFrom) {
    const std::vector<double> x = solution({});
    EXPECT_EQ(solution({"--cache"}), x);
    EXPECT_TRUE(folder.has("a.mtx.stiefel-cache"));
    EXPECT_EQ(solution({"--cache"}), x);
    const Json report = report_of({"--cache"});
    ASSERT_EQ(report["notes"].size(), 1u);
    EXPECT_EQ(report["notes"][0], "a.mtx: taken from the cache a.mtx.stiefel-cache");
    EXPECT_EQ(report["matrix"]["symmetry"], "symmetric");
    for (const char* command : {"info", "eigen"}) {
        const Finished run = folder.run({command, "a.mtx", "--cache"});
        EXPECT_EQ(run.exit_code, 0) << run.err;
        EXPECT_NE(run.err.find("taken from the cache"), std::string::npos) << command;
    }
}

TEST_F(SolveFiles, ACacheThatIsNotGoodIsANoteAndWrittenAnew) {
    solution({"--cache"});
    folder.write("a.mtx", poisson_text(60));
    Json report = report_of({"--cache"});
    EXPECT_EQ(report["matrix"]["n_rows"], 60);
    EXPECT_EQ(report["notes"][0], "the cache a.mtx.stiefel-cache was not used: the file has changed since");
    folder.write("a.mtx.stiefel-cache", "broken");
    report = report_of({"--cache"});
    EXPECT_EQ(report["matrix"]["n_rows"], 60);
    EXPECT_EQ(report["notes"][0], "the cache a.mtx.stiefel-cache was not used: it is cut short");
    EXPECT_EQ(report_of({"--cache"})["notes"][0], "a.mtx: taken from the cache a.mtx.stiefel-cache");
    const Finished run = folder.run({"solve", "-", "--cache"}, {.input = poisson_text(5)});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.err.find("--cache: standard input has no file"), std::string::npos) << run.err;
}

TEST_F(SolveFiles, EndlessInputsAreRefused) {
    const Finished run = folder.run({"solve", "/dev/zero"});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find("/dev/zero:1:1: expected '%%MatrixMarket"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace stiefel::test
