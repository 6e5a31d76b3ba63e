// Every way to fail: its exit code, and a message that says what is wrong and how to mend it.

#include "cli/failing_commands.hpp"
#include "stiefel/core/cuda.hpp"

#include <unistd.h>

namespace stiefel::test {
namespace {

using Errors = FailingCommands;

TEST_F(Errors, BareProgramShowsHelp) {
    const Finished run = folder.run({});
    EXPECT_EQ(run.exit_code, 1);
    for (const char* word : {"Usage: stiefel COMMAND", "solve", "info", "convert", "generate", "Examples:"}) {
        EXPECT_NE(run.out.find(word), std::string::npos) << word;
    }
}

TEST_F(Errors, HelpAndVersionAreNoFailures) {
    for (const Words& words : {Words{"--help"}, Words{"-h"}, Words{"help"}, Words{"solve", "--help"},
                               Words{"help", "solve"}, Words{"info", "-h"}, Words{"convert", "--help"},
                               Words{"generate", "--help"}, Words{"generate", "poisson3d", "--help"}}) {
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, 0);
        EXPECT_NE(run.out.find("Usage: stiefel"), std::string::npos) << words[0];
        EXPECT_EQ(run.err, "");
    }
    const Finished version = folder.run({"--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_TRUE(version.out.starts_with("stiefel ")) << version.out;
}

TEST_F(Errors, MisspelledWordsGetASuggestion) {
    expect_failure({"slove", "a.mtx"}, 1, {"'slove'", "did you mean 'solve'?"});
    expect_failure({"solve", "a.mtx", "--rtoll", "1e-3"}, 1, {"--rtoll", "did you mean '--rtol'?"});
    expect_failure({"solve", "a.mtx", "--preconditioner", "jakobi"}, 1, {"--preconditioner", "did you mean 'jacobi'?"});
    expect_failure({"generate", "poison3d"}, 1, {"did you mean 'poisson3d'?"});
    expect_failure({"solve", "a.mtx", "--backend", "gpu"}, 1, {"--backend", "auto, serial, openmp, cuda", "'gpu'"});
}

TEST_F(Errors, WordsOfAGeneratedMatrix) {
    expect_failure({"solve", "generate:poison3d:9"}, 1, {"generate:poison3d:9", "did you mean 'poisson3d'?"});
    expect_failure({"eigen", "generate:"}, 1, {"kind", "poisson1d", "stencil27"});
    expect_failure({"info", "generate:poisson3d:0"}, 1, {"nx = 0, expected at least 1"});
    expect_failure({"solve", "generate:poisson3d:4:4:4:4"}, 1, {"4 sizes are given, it has 3"});
    expect_failure({"solve", "generate:anisotropic2d:9:eps=3"}, 1, {"no parameter 'eps'", "epsilon"});
    expect_failure({"solve", "generate:anisotropic2d:9:epsilon=x"}, 1, {"epsilon = 'x', expected a number"});
    expect_failure({"solve", "generate:poisson3d:1700"}, 1, {"4,913,000,000 rows", "several ranks", "mpirun"});
    expect_failure({"solve", "generate:poisson3d:9", "--cache"}, 1, {"--cache", "made, not read"});
    expect_failure({"solve", "generate:poisson3d:9", "--rhs", "archive"}, 1, {"--rhs archive", "made, not read"});
    expect_failure({"solve", "generate:random_csr:90"}, 2, {"not symmetric"});
    expect_failure({"solve", "a.mtx", "--partition", "parmetis"}, 1, {"--partition", "auto, blocks, scotch, metis"});
}

TEST_F(Errors, WithoutADeviceCudaIsRefused) {
#ifdef STIEFEL_HAS_CUDA
    if (n_cuda_devices() > 0) GTEST_SKIP() << "this machine has a CUDA device";
#endif
    expect_failure({"solve", "a.mtx", "--backend", "cuda"}, 5, {"CUDA", "--backend openmp"});
    expect_failure({"solve", "a.mtx", "--device", "0"}, 5, {"CUDA", "--backend openmp"});
    expect_failure({"eigen", "a.mtx", "--device", "0"}, 5, {"CUDA", "--backend openmp"});
}

TEST_F(Errors, DevicesThatAreNotThere) {
    for (const char* command : {"solve", "eigen"}) {
        expect_failure({command, "a.mtx", "--device", "0", "--backend", "openmp"}, 1, {"--device", "openmp", "cuda"});
        expect_failure({command, "a.mtx", "--device", "0", "--backend", "serial"}, 1, {"--device", "serial", "cuda"});
        expect_failure({command, "a.mtx", "--device", "-1"}, 1, {"--device", "at least 0", "'-1'"});
    }
#ifdef STIEFEL_HAS_CUDA
    const int n = n_cuda_devices();
    if (n == 0) return;
    const std::string beyond = std::to_string(n);
    expect_failure({"solve", "a.mtx", "--device", beyond}, 5, {"CUDA device " + beyond, beyond + " ", "visible"});
    expect_failure({"eigen", "a.mtx", "--device", beyond}, 5, {"CUDA device " + beyond, beyond + " ", "visible"});
#endif
}

TEST_F(Errors, WrongUse) {
    expect_failure({"solve"}, 1, {"A.mtx", "--help"});
    expect_failure({"solve", "a.mtx", "b.mtx"}, 1, {"b.mtx"});
    expect_failure({"solve", "a.mtx", "--rtol"}, 1, {"--rtol"});
    expect_failure({"solve", "a.mtx", "--rtol", "tiny"}, 1, {"--rtol", "'tiny'"});
    expect_failure({"solve", "a.mtx", "--rtol=-1"}, 1, {"--rtol", "at least 0", "'-1'"});
    expect_failure({"solve", "a.mtx", "--time-limit", "-1"}, 1, {"--time-limit", "at least 0", "'-1'"});
    expect_failure({"eigen", "a.mtx", "--time-limit", "soon"}, 1, {"--time-limit", "'soon'"});
    expect_failure({"solve", "a.mtx", "--rtol", "2"}, 1, {"--rtol", "below 1", "'2'"});
    expect_failure({"solve", "a.mtx", "--rtol", "1"}, 1, {"--rtol", "below 1", "'1'"});
    expect_failure({"solve", "a.mtx", "--rtol", "nan"}, 1, {"--rtol", "'nan'"});
    expect_failure({"solve", "a.mtx", "--max-iterations", "2.5"}, 1, {"--max-iterations", "whole number", "'2.5'"});
    expect_failure({"solve", "a.mtx", "--threads", "0"}, 1, {"--threads", "at least 1"});
    expect_failure({"solve", "a.mtx", "--threads", "2", "--backend", "serial"}, 1, {"--threads", "openmp"});
    expect_failure({"solve", "-", "--rhs", "-"}, 1, {"A.mtx and --rhs", "standard input"});
    expect_failure({"convert", "a.mtx", "b.mtx", "--symmetric", "--general"}, 1, {"--symmetric and --general"});
    expect_failure({"generate"}, 1, {"generate --help"});
    expect_failure({"generate", "poisson3d", "10"}, 1, {"-o FILE"});
    expect_failure({"generate", "poisson3d", "0", "-o", "p.mtx"}, 1, {"poisson3d", "nx", "0"});
    expect_failure({"generate", "poisson2d", "3", "3", "3", "-o", "p.mtx"}, 1, {"poisson2d", "3"});
}

TEST_F(Errors, UnknownKernelNamesThoseThereAre) {
    expect_failure({"solve", "a.mtx", "--backend", "openmp", "--format", "csr", "--kernel", "fastest"}, 1,
                   {"--kernel", "'fastest'", "static"});
    expect_failure({"solve", "a.mtx", "--kernel", "fastest"}, 1, {"--kernel", "'fastest'", "csr: ", "sell: "});
}

TEST_F(Errors, PaddingBeyondReasonIsRefusedWithTheNumbers) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n2000 2000 3999\n";
    for (int i = 1; i <= 2000; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 3000\n";
    for (int i = 2; i <= 2000; ++i) text += std::to_string(i) + " 1 1\n";
    folder.write("arrow.mtx", text);
    expect_failure({"solve", "arrow.mtx", "--format", "ellpack"}, 1, {"--format ellpack", "limit"});
}

TEST_F(Errors, OutputsAreCheckedBeforeTheWork) {
    expect_failure({"solve", "a.mtx", "-o", "none/x.mtx"}, 1,
                   {"--output", "none/x.mtx", "there is no folder none; 'mkdir -p none' makes it"});
    expect_failure({"solve", "a.mtx", "-o", "."}, 1, {"--output", "directory"});
    expect_failure({"solve", "missing.mtx", "--json", "none/j"}, 1, {"--json", "none/j"});
    expect_failure({"solve", "a.mtx", "--json", "out", "--report", "out"}, 1, {"--json and --report", "out"});
    expect_failure({"solve", "a.mtx", "--json", "out", "--report", "./out"}, 1, {"--json and --report", "out"});
    expect_failure({"solve", "a.mtx", "--json", "-", "-o", "-"}, 1, {"--output and --json", "standard output"});
    expect_failure({"solve", "a.mtx", "-o", "a.mtx"}, 1, {"--output", "also the input"});
    expect_failure({"convert", "a.mtx", "a.mtx"}, 1, {"OUT", "also the input"});
    EXPECT_EQ(folder.read("a.mtx"), poisson_text(10));
}

TEST_F(Errors, ReadOnlyFolder) {
    if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    namespace fs = std::filesystem;
    fs::permissions(folder.path(), fs::perms::owner_write, fs::perm_options::remove);
    expect_failure({"solve", "a.mtx", "-o", "x.mtx"}, 1, {"--output", "x.mtx", "Permission denied"});
    fs::permissions(folder.path(), fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(Errors, FilesThatCannotBeRead) {
    expect_failure({"solve", "missing.mtx"}, 2, {"missing.mtx", "there is no such file"});
    expect_failure({"info", "missing.mtx"}, 2, {"missing.mtx"});
    expect_failure({"convert", "missing.mtx", "x.mtx"}, 2, {"missing.mtx"});
    expect_failure({"solve", "."}, 2, {"directory"});
    expect_failure({"solve", "a.mtx", "--rhs", "missing.mtx"}, 2, {"missing.mtx"});
    expect_failure({"solve", "a.mtx", "--guess", "missing.mtx"}, 2, {"missing.mtx"});
    expect_failure({"solve", "-"}, 2, {"stdin"});
}

TEST_F(Errors, FilesThatAreNotMatrixMarketAreNamedByLineAndColumn) {
    folder.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 x 2\n");
    expect_failure({"solve", "bad.mtx"}, 2, {"bad.mtx:4:3:"});
    expect_failure({"info", "bad.mtx"}, 2, {"bad.mtx:4:3:"});
    expect_failure({"convert", "bad.mtx", "x.mtx"}, 2, {"bad.mtx:4:3:"});
    folder.write("text.mtx", "hello\n");
    expect_failure({"solve", "text.mtx"}, 2, {"text.mtx:1"});
    folder.write("empty.mtx", "");
    expect_failure({"solve", "empty.mtx"}, 2, {"empty.mtx"});
    folder.write("b.mtx", "%%MatrixMarket matrix array real general\n10 1\n1\n");
    expect_failure({"solve", "a.mtx", "--rhs", "b.mtx"}, 2, {"b.mtx:"});
}

TEST_F(Errors, MatricesThatSolveCannotTake) {
    folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
    expect_failure({"solve", "wide.mtx"}, 2, {"wide.mtx", "2 rows and 3 columns", "square"});
    folder.write("skew.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n");
    expect_failure({"solve", "skew.mtx"}, 2, {"skew-symmetric"});
    folder.write("general.mtx",
                 "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n2 2 4\n3 3 4\n1 3 0.5\n3 1 0.25\n");
    expect_failure({"solve", "general.mtx"}, 2,
                   {"general.mtx", "not symmetric", "entry (1, 3) is 0.5 and entry (3, 1) is 0.25"});
    expect_failure({"convert", "general.mtx", "x.mtx", "--symmetric"}, 2,
                   {"entry (1, 3) is 0.5 and entry (3, 1) is 0.25"});
}

TEST_F(Errors, RightHandSideOfAnotherSizeNamesBoth) {
    folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
    expect_failure({"solve", "a.mtx", "--rhs", "b.mtx"}, 2, {"b.mtx", "3", "10"});
    expect_failure({"solve", "a.mtx", "--guess", "b.mtx"}, 2, {"b.mtx", "3", "10"});
}

TEST_F(Errors, DiagonalEntriesThatAreNotPositive) {
    folder.write("negative.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n");
    expect_failure({"solve", "negative.mtx"}, 4, {"negative.mtx", "not positive definite", "(2, 2)", "negative"});
    folder.write("zero.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 1\n2 2 0\n");
    expect_failure({"solve", "zero.mtx"}, 4, {"zero.mtx", "(2, 2)", "0"});
    folder.write("missing.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 1\n");
    expect_failure({"solve", "missing.mtx"}, 4, {"missing.mtx", "(2, 2)", "missing"});
    folder.write("minus.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 -1\n2 2 -1\n");
    expect_failure({"solve", "minus.mtx"}, 4, {"(1, 1)", "-A"});
}

TEST_F(Errors, FullDiskIsNoInputsFault) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const Finished solve = folder.run({"solve", "a.mtx", "-o", "/dev/full", "--json", "j.json"});
    EXPECT_EQ(solve.exit_code, 5);
    EXPECT_NE(solve.err.find("--output"), std::string::npos) << solve.err;
    EXPECT_NE(solve.out.find("converged"), std::string::npos) << "the report is still worth having";
    EXPECT_TRUE(folder.has("j.json"));
    EXPECT_EQ(folder.run({"convert", "a.mtx", "/dev/full"}).exit_code, 5);
    EXPECT_EQ(folder.run({"generate", "poisson1d", "10", "-o", "/dev/full"}).exit_code, 5);
}

}  // namespace
}  // namespace stiefel::test
