#pragma once

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace stiefel::test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// A command of the program in a folder with a.mtx, the 1-D Poisson matrix of n rows.
class PoissonCommand : public ::testing::Test {
protected:
    PoissonCommand(std::string command, int n) : command_(std::move(command)) {
        folder.write("a.mtx", poisson_text(n));
    }

    /// Runs `COMMAND a.mtx` with more words and `--json j.json`, and gives the report.
    Json report_of(Words words, int expected_exit = 0) {
        words.insert(words.begin(), {command_, "a.mtx", "--json", "j.json"});
        const Finished run = folder.run(words);
        EXPECT_EQ(run.exit_code, expected_exit) << run.err;
        return Json::parse(folder.read("j.json"));
    }

    Folder folder;

private:
    std::string command_;
};

/// Solves of systems that `stiefel generate` makes, in a folder.
class GeneratedSystem : public ::testing::Test {
protected:
    /// a.mtx
    void generate(const Words& words) {
        Words all{"generate"};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"-o", "a.mtx", "-q"});
        const Finished run = folder.run(all);
        ASSERT_EQ(run.exit_code, 0) << run.err;
    }

    /// `solve a.mtx` with more words and `--json j.json`: the report.
    Json solved(const Words& words) {
        Words all{"solve", "a.mtx", "--json", "j.json"};
        all.insert(all.end(), words.begin(), words.end());
        const Finished run = folder.run(all);
        EXPECT_EQ(run.exit_code, 0) << run.err;
        text = run.out;
        return Json::parse(folder.read("j.json"));
    }

    Folder folder;
    std::string text;  ///< of the last solve
};

}  // namespace stiefel::test
