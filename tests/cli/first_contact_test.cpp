// What a new user meets first: near misses, narrow terminals, help that fits.

#include "cli/failing_commands.hpp"

#include <algorithm>
#include <sstream>

namespace stiefel::test {
namespace {

using FirstContact = FailingCommands;

TEST_F(FirstContact, MissingArgumentsAreAskedForWithTheCallThatHasThem) {
    expect_failure({"solve"}, 1, {"A.mtx is missing: stiefel solve A.mtx [OPTIONS]", "'stiefel solve --help'"});
    expect_failure({"convert", "a.mtx"}, 1, {"OUT is missing: stiefel convert IN OUT [OPTIONS]"});
    expect_failure({"solve", "a.mtx", "--rtol"}, 1, {"--rtol needs a value: --rtol R"});
    expect_failure({"solve", "a.mtx", "-o"}, 1, {"--output needs a value: --output FILE"});
    folder.write("b.txt", "1\n2\n");
    expect_failure({"solve", "a.mtx", "b.txt"}, 1, {"b.txt is one word too many; did you mean '--rhs b.txt'?"});
    expect_failure({"solve", "a.mtx", "1e-8"}, 1, {"1e-8 is one word too many: stiefel solve A.mtx [OPTIONS]"});
}

TEST_F(FirstContact, AFileInPlaceOfACommandIsToldWhatCommandsTakeIt) {
    expect_failure({"a.mtx"}, 1, {"what shall be done with a.mtx?", "'stiefel solve a.mtx'", "'stiefel info a.mtx'"});
    expect_failure({"a"}, 1, {"'a' is no command; there are solve, eigen, info, convert, generate"});
    expect_failure({"generate", "circle"}, 1, {"generate: 'circle' is no kind of matrix; there are poisson1d"});
}

TEST_F(FirstContact, OptionsThatThereAreNot) {
    expect_failure({"--verbose"}, 1, {"stiefel: stiefel has no option --verbose ('stiefel --help' lists all)"});
    expect_failure({"solve", "a.mtx", "--maxiter", "9"}, 1, {"solve has no option --maxiter; did you mean '--max-it"});
    expect_failure({"solve", "a.mtx", "-k", "3"}, 1, {"solve has no option -k ('stiefel solve --help'"});
    expect_failure({"generate", "poisson3d", "-n", "3"}, 1,
                   {"poisson3d has no option -n ('stiefel generate poisson3d"});
}

TEST_F(FirstContact, PagesThatThereAreNot) {
    expect_failure({"--completions", "tcsh"}, 1, {"--completions: expected one of bash, zsh, fish; got 'tcsh'"});
    expect_failure({"--completions"}, 1, {"--completions needs a value: --completions bash|zsh|fish"});
    expect_failure({"--man", "slove"}, 1, {"--man: expected one of stiefel, solve, ", "did you mean 'solve'?"});
}

TEST_F(FirstContact, WordsThatMayAlsoBeFilesAreSuggested) {
    expect_failure({"solve", "a.mtx", "--rhs", "one"}, 1, {"--rhs one: there is no such file", "did you mean 'ones'?"});
    expect_failure({"solve", "a.mtx", "--rhs", "rand"}, 1, {"did you mean 'random'?"});
    expect_failure({"solve", "a.mtx", "--rhs", "consistant"}, 1, {"did you mean 'consistent'?"});
    expect_failure({"solve", "a.mtx", "--rhs", "zeros"}, 2,
                   {"zeros: there is no such file (--rhs); --rhs takes a file, or one of ones, random, random:K, "
                    "consistent, archive"});
    folder.write("one", "%%MatrixMarket matrix coordinate real general\n10 1 1\n7 1 2.5\n");
    EXPECT_EQ(folder.run({"solve", "a.mtx", "--rhs", "one"}).exit_code, 0) << "a file of such a name is meant";
}

TEST_F(FirstContact, FilesBesideTheOneMeantAreSuggested) {
    folder.write("matrix.mtx.gz", "");
    expect_failure({"solve", "matrix.mtx"}, 2, {"matrix.mtx: there is no such file; did you mean 'matrix.mtx.gz'?"});
    const std::string elsewhere = (folder.path() / "matix.mtx.gz").string();
    expect_failure({"info", elsewhere}, 2, {"did you mean '" + (folder.path() / "matrix.mtx.gz").string() + "'?"});
    expect_failure({"solve", "a.mtx", "--guess", "b.mtx"}, 2,
                   {"b.mtx: there is no such file (--guess); did you mean 'a"});
    expect_failure({"eigen", "none/a.mtx"}, 2, {"none/a.mtx: there is no such file\n"});
    expect_failure({"convert", "unlike.anything", "x.mtx"}, 2, {"unlike.anything: there is no such file\n"});
}

/// The longest line of a text, in characters, escape sequences not counted.
std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::string visible;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '\r') {  // the line begins again, over what is there
                longest = std::max(longest, visible.size());
                visible.clear();
                continue;
            }
            if (line[i] == '\x1b') {
                i = std::min(line.find_first_of("mK", i), line.size());
                continue;
            }
            visible += line[i];
        }
        longest = std::max(longest, visible.size());
    }
    return longest;
}

TEST(NarrowTerminals, NothingIsWiderThanTheTerminal) {
    Folder folder;
    folder.write("a.mtx", poisson_text(60));
    for (const int columns : {40, 120}) {
        const Running on_terminal{.out_is_terminal = true, .err_is_terminal = true, .terminal_columns = columns};
        for (const Words& words :
             {Words{"--help"}, Words{"solve", "--help"}, Words{"eigen", "--help"}, Words{"info", "--help"},
              Words{"convert", "--help"}, Words{"generate", "--help"}, Words{"generate", "jump_diffusion3d", "--help"},
              Words{"info", "a.mtx"}, Words{"solve", "a.mtx", "--rhs", "random:3", "--solver", "both"},
              Words{"eigen", "a.mtx"}, Words{"solve", "a.mtx", "--max-iterations", "2"},
              Words{"eigen", "a.mtx", "--rtol", "1e-20"}, Words{"solve", "a.mtx", "--kernel", "fastest"},
              Words{"solve", "a.mtx", "--rhs", "zeros"}}) {
            const Finished run = folder.run(words, on_terminal);
            EXPECT_GT((run.out + run.err).size(), 40u);
            EXPECT_LE(longest_line(run.out), static_cast<std::size_t>(columns)) << words[0] << "\n" << run.out;
            EXPECT_LE(longest_line(run.err), static_cast<std::size_t>(columns)) << words[0] << "\n" << run.err;
        }
    }
}

TEST(NarrowTerminals, MessagesAreOneLineWhereNobodyReadsThemOnATerminal) {
    Folder folder;
    const Finished run = folder.run({"solve", "missing.mtx", "--kernel", "x"});
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

}  // namespace
}  // namespace stiefel::test
