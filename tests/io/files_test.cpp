#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>

namespace stiefel {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("stiefel_files_" + std::to_string(std::random_device{}()));
        fs::create_directory(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::size_t n_files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    static std::string content(const std::string& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    /// Whether the folder's file system has files without a name.
    bool has_nameless_files() const {
        const int descriptor = open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
        if (descriptor >= 0) close(descriptor);
        return descriptor >= 0;
    }
    static void make(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

    const std::string matrix_ = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n";

private:
    fs::path folder_;
};

TEST_F(Files, WhatCannotBeReadSaysWhy) {
    try {
        read_matrix<double>(path("missing.mtx"));
        FAIL() << "read a file that is not there";
    } catch (const FileError& error) {
        EXPECT_EQ(std::string(error.what()), path("missing.mtx") + ": No such file or directory");
    }
    try {
        read_matrix<double>(path(""));
        FAIL() << "read a directory";
    } catch (const ParseError& error) {
        EXPECT_NE(std::string(error.what()).find("is a directory; expected a Matrix Market file"), std::string::npos);
    }
}

TEST_F(Files, PipesAreReadToTheirEnd) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    std::string text = "%%MatrixMarket matrix array real general\n400000 1\n";
    for (int i = 0; i < 400'000; ++i) text += "1.25\n";
    std::thread writer([&] { make(path("pipe"), gzip_member(text) + gzip_member("% the end\n")); });
    const HostVector<double> vector = read_vector<double>(path("pipe"));
    writer.join();
    EXPECT_EQ(vector.size(), 400'000);
    EXPECT_EQ(vector[399'999], 1.25);
}

TEST_F(Files, TextThatCompressesWellIsReadWhole) {
    const std::string blanks(std::size_t{30} << 20, ' ');
    make(path("a.mtx"), gzip_member(matrix_ + blanks));
    EXPECT_LT(fs::file_size(path("a.mtx")), blanks.size() / 500);
    EXPECT_EQ(read_matrix<double>(path("a.mtx")).coo.values[0], 3);
}

TEST_F(Files, OutputReplacesOnlyWhenComplete) {
    make(path("out"), "old");
    {
        OutputFile file(path("out"));
        file.write("new");
        EXPECT_EQ(content(path("out")), "old");
        EXPECT_EQ(n_files(), has_nameless_files() ? 1u : 2u);
    }
    EXPECT_EQ(content(path("out")), "old");
    EXPECT_EQ(n_files(), 1u);
    write_file(path("out"), "new");
    EXPECT_EQ(content(path("out")), "new");
    EXPECT_EQ(n_files(), 1u);
}

TEST_F(Files, OutputKeepsPermissionsAndLinks) {
    make(path("out"), "old");
    fs::permissions(path("out"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("out", path("link"));
    write_file(path("link"), "new");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(content(path("out")), "new");
    EXPECT_EQ(fs::status(path("out")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, OutputMakesTheFileThatADanglingLinkLeadsTo) {
    fs::create_directory(path("folder"));
    fs::create_symlink("folder/later", path("link"));
    fs::create_symlink(path("link"), path("link to link"));
    write_file(path("link to link"), "new");
    EXPECT_TRUE(fs::is_symlink(path("link to link")));
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(content(path("folder/later")), "new");

    fs::create_symlink("circle", path("circle"));
    EXPECT_THROW(OutputFile(path("circle")), FileError);
    fs::create_symlink("no/such/folder", path("nowhere"));
    EXPECT_THROW(OutputFile(path("nowhere")), FileError);
    EXPECT_TRUE(fs::is_symlink(path("nowhere")));
}

TEST_F(Files, OutputOfAProgramThatIsKilledLeavesNothingBehind) {
    if (!has_nameless_files()) GTEST_SKIP() << "this file system has no files without a name";
    make(path("out"), "old");
    const pid_t child = fork();
    if (child == 0) {
        OutputFile file(path("out"));
        file.write("new");
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(content(path("out")), "old");
    EXPECT_EQ(n_files(), 1u);
}

TEST_F(Files, OutputThatCannotBeMadeSaysWhy) {
    EXPECT_THROW(OutputFile(""), FileError);
    EXPECT_THROW(OutputFile(path("no/such/folder")), FileError);
    EXPECT_THROW(OutputFile(path("")), FileError);
    try {
        OutputFile file("/dev/full");
        file.write("x");
        FAIL() << "wrote to a full disk";
    } catch (const FileError& error) {
        EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
    }
    write_file("/dev/null", "x");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

/// A file may not grow beyond a limit of the system, as on a full disk: nothing of it is left, and the old one is.
TEST_F(Files, OutputThatBreaksOffLeavesNothingBehind) {
    make(path("out.mtx"), "old");
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 100'000, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const HostVector<double> values(1'000'000, 0.1);
    EXPECT_THROW(write_array<double>(path("out.mtx"), 1'000'000, 1, values.span()), FileError);
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, ignored);
    EXPECT_EQ(content(path("out.mtx")), "old");
    EXPECT_EQ(n_files(), 1u);
}

}  // namespace
}  // namespace stiefel
