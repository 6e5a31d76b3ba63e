#pragma once

#include "cli/program.hpp"
#include "cli/systems.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stiefel::test {

using Words = std::vector<std::string>;

/// Commands that fail, in a folder with a.mtx, the 1-D Poisson matrix of 10 rows.
class FailingCommands : public ::testing::Test {
protected:
    FailingCommands() { folder.write("a.mtx", poisson_text(10)); }

    /// The run fails with this code, says all these parts on standard error in one message, prints no result, and
    /// leaves no file behind.
    void expect_failure(const Words& words, int exit_code, const Words& parts, const Running& how = {}) {
        const Words before = folder.names();
        const Finished run = folder.run(words, how);
        EXPECT_EQ(run.exit_code, exit_code) << run.err;
        EXPECT_EQ(run.out, "");
        EXPECT_TRUE(run.err.starts_with("stiefel: ")) << run.err;
        for (const std::string& part : parts)
            EXPECT_NE(run.err.find(part), std::string::npos) << part << "\n" << run.err;
        EXPECT_EQ(folder.names(), before);
    }

    Folder folder;
};

}  // namespace stiefel::test
