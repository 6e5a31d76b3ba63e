// `stiefel convert` and `stiefel generate`.

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include "stiefel/problems/problem_list.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {
namespace {

TEST(Convert, KeepsWhatItIsNotAskedToChange) {
    Folder folder;
    const std::string text =
        "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n2 2 0.1\n1 1 1\n3 1 -1e-300\n3 3 5\n";
    folder.write("a.mtx", text);
    const Finished run = folder.run({"convert", "a.mtx", "b.mtx"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(folder.read("b.mtx"), text);
    EXPECT_NE(run.out.find("3 x 3, 4 entries"), std::string::npos) << run.out;
    ASSERT_EQ(folder.run({"convert", "b.mtx", "c.mtx.gz", "--quiet"}).out, "");
    ASSERT_EQ(folder.run({"convert", "c.mtx.gz", "-"}).out, text);
}

TEST(Convert, ExpandsAndFolds) {
    Folder folder;
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 -2\n2 2 3\n");
    ASSERT_EQ(folder.run({"convert", "a.mtx", "g.mtx", "--general"}).exit_code, 0);
    EXPECT_EQ(folder.read("g.mtx"),
              "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 -2\n2 1 -2\n2 2 3\n");
    ASSERT_EQ(folder.run({"convert", "g.mtx", "s.mtx", "--symmetric"}).exit_code, 0);
    EXPECT_EQ(folder.read("s.mtx"), folder.read("a.mtx"));
}

TEST(Convert, AddsUpDuplicatesWhenItSorts) {
    Folder folder;
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n2 2 1\n1 1 1\n2 2 0.5\n");
    ASSERT_EQ(folder.run({"convert", "a.mtx", "g.mtx", "--general"}).exit_code, 0);
    EXPECT_EQ(folder.read("g.mtx"), "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1.5\n");
}

TEST(Convert, RoundsToSingle) {
    Folder folder;
    folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.12345678901234567\n");
    ASSERT_EQ(folder.run({"convert", "a.mtx", "f.mtx", "--precision", "single"}).exit_code, 0);
    EXPECT_EQ(folder.read("f.mtx"), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.12345679\n");
}

TEST(Convert, VectorsStayArrays) {
    Folder folder;
    const std::string text = "%%MatrixMarket matrix array real general\n3 2\n1\n0\n3\n4\n5\n6\n";
    folder.write("b.mtx", text);
    ASSERT_EQ(folder.run({"convert", "b.mtx", "c.mtx"}).exit_code, 0);
    EXPECT_EQ(folder.read("c.mtx"), text);
}

class Generate : public ::testing::TestWithParam<std::string> {};

TEST_P(Generate, EveryListedKindIsWrittenReadAndDescribed) {
    Folder folder;
    const Finished made = folder.run({"generate", GetParam(), "-o", "a.mtx.gz"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_TRUE(made.out.starts_with("a.mtx.gz: ")) << made.out;
    EXPECT_EQ(folder.run({"info", "a.mtx.gz"}).exit_code, 0);
    const bool spd = find_problem(GetParam()).kind == ProblemKind::spd;
    EXPECT_EQ(folder.run({"solve", "a.mtx.gz", "--rtol", "1e-2"}).exit_code, spd ? 0 : 2);
    const Finished help = folder.run({"generate", GetParam(), "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(folder.run({"generate", "--help"}).out.find(GetParam()), std::string::npos);
}

std::vector<std::string> problem_names() {
    std::vector<std::string> names;
    for (const Problem& problem : problems()) names.emplace_back(problem.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Generate, ::testing::ValuesIn(problem_names()),
                         [](const auto& case_of) { return case_of.param; });

TEST(GenerateOptions, SizesAndParametersArriveAndAreWrittenDown) {
    Folder folder;
    ASSERT_EQ(folder.run({"generate", "anisotropic2d", "3", "2", "--epsilon", "0.5", "-o", "a.mtx"}).exit_code, 0);
    const std::string text = folder.read("a.mtx");
    EXPECT_NE(text.find("stiefel generate anisotropic2d 3 2 --epsilon 0.5"), std::string::npos) << text;
    EXPECT_NE(text.find("6 6 13\n"), std::string::npos) << text;
    EXPECT_NE(text.find("1 1 3\n"), std::string::npos) << "2 + 2 epsilon: " << text;
}

TEST(GenerateOptions, TheSeedDecides) {
    Folder folder;
    for (const auto& [name, seed] : {std::pair{"a", "1"}, {"b", "1"}, {"c", "2"}}) {
        ASSERT_EQ(folder.run({"generate", "random_csr", "30", "--seed", seed, "-o", name}).exit_code, 0);
    }
    EXPECT_EQ(folder.read("a"), folder.read("b"));
    const auto entries = [](const std::string& text) { return text.substr(text.find("\n30 ")); };
    EXPECT_NE(entries(folder.read("a")), entries(folder.read("c")));
}

TEST(GenerateOptions, GeneralWritesBothTriangles) {
    Folder folder;
    ASSERT_EQ(folder.run({"generate", "poisson1d", "3", "--general", "-o", "a.mtx"}).exit_code, 0);
    EXPECT_NE(folder.read("a.mtx").find("general\n"), std::string::npos);
    EXPECT_NE(folder.read("a.mtx").find("3 3 7\n"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::test
