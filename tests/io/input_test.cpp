// Where bytes come from, and what may go wrong there: files that change, streams without end, memory that is not there.

#include "stiefel/io/input.hpp"

#include "io/scarce_memory.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/memory.hpp"
#include "stiefel/io/gzip.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/matrix_market_body.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <string>
#include <thread>

namespace stiefel {
namespace {

namespace fs = std::filesystem;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

std::string diagonal(int n) {
    std::string text = banner + std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(n) + "\n";
    for (int i = 1; i <= n; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 1\n";
    return text;
}

class Input : public testing::Test {
protected:
    Input() : folder_(fs::temp_directory_path() / ("stiefel_input_" + std::to_string(std::random_device{}()))) {
        fs::create_directory(folder_);
        ignored_ = std::signal(SIGPIPE, SIG_IGN);
    }
    ~Input() override {
        std::signal(SIGPIPE, ignored_);
        fs::remove_all(folder_);
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string made(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }

    /// What reading a pipe says into which `first` is written, then `again` without end.
    std::string refusal_of_stream(const std::string& first, const std::string& again) {
        EXPECT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
        std::thread writer([&] {
            std::ofstream pipe(path("pipe"));
            pipe << first;
            while (pipe.write(again.data(), static_cast<std::streamsize>(again.size()))) {
            }
        });
        std::string what = "read to its end";
        try {
            read_matrix<double>(path("pipe"));
        } catch (const ParseError& error) {
            what = error.what();
        }
        writer.join();
        return what.substr(what.find("pipe"));
    }

    static std::string refusal_of(const std::string& bytes) {
        try {
            parse_matrix<double>({bytes.data(), bytes.size()}, "memory");
        } catch (const ParseError& error) {
            return error.what();
        }
        return "read to its end";
    }

private:
    fs::path folder_;
    void (*ignored_)(int);
};

/// As under a program that writes the file anew: a mapping would end this one by a signal.
TEST_F(Input, FileThatBecomesShorterIsAnErrorLikeAnyOther) {
    const std::string text = diagonal(100'000);
    const InputText input = InputText::open(made("a.mtx", text), "");
    const ParsedHeader header = parse_header(input);
    fs::resize_file(path("a.mtx"), text.size() / 2);
    for (int threads : {1, 3}) {
        try {
            parse_coordinate_body<double>(input, header, {.threads = threads, .chunk_bytes = 1 << 14});
            FAIL() << "read what is not there";
        } catch (const FileError& error) {
            EXPECT_NE(std::string(error.what()).find("became shorter while it was read"), std::string::npos)
                << error.what();
        }
    }
    InputText whole = InputText::open(path("a.mtx"), "");
    fs::resize_file(path("a.mtx"), text.size() / 4);
    EXPECT_THROW(whole.load(2), FileError);
}

TEST_F(Input, CompressedFileThatBecomesShorterToo) {
    const std::string packed = gzip_member(diagonal(1000));
    made("a.mtx.gz", packed);
    EXPECT_EQ(read_matrix<double>(path("a.mtx.gz")).coo.n_entries(), 1000);
    fs::resize_file(path("a.mtx.gz"), packed.size() / 2);
    EXPECT_THROW(read_matrix<double>(path("a.mtx.gz")), ParseError);
}

TEST_F(Input, StreamsThatAreNothingOfOursAreRefusedAtOnce) {
    EXPECT_THROW(read_matrix<double>("/dev/zero"), ParseError);
    EXPECT_EQ(refusal_of_stream("", "hello\n"), "pipe:1:1: expected '%%MatrixMarket matrix ...', found 'hello'");
    fs::remove(path("pipe"));
    EXPECT_EQ(refusal_of_stream(banner + "2 x 1\n", "1 1 1\n"), "pipe:2:3: expected the number of columns, found 'x'");
    fs::remove(path("pipe"));
    const std::string zeros = gzip_member(std::string(std::size_t{1} << 20, '\0'));
    EXPECT_NE(refusal_of_stream(zeros, zeros).find("expected '%%MatrixMarket matrix ...'"), std::string::npos);
}

TEST_F(Input, StreamsThatGoOnBeyondTheirEntriesAreRefused) {
    const std::string lines = [] {
        std::string text;
        for (int i = 0; i < 100'000; ++i) text += "1 1 1\n";
        return text;
    }();
    EXPECT_EQ(refusal_of_stream(banner + "2 2 1\n", lines).substr(0, 35), "pipe: goes on beyond 67109120 bytes");
    fs::remove(path("pipe"));
    EXPECT_EQ(refusal_of_stream(banner, std::string(100'000, '%') + "\n").substr(0, 35),
              "pipe: goes on beyond 67108864 bytes");
}

TEST_F(Input, GzipThatUnpacksToFarMoreThanItsEntriesIsRefused) {
    const std::string blanks = gzip_member(std::string(std::size_t{4} << 20, '\n'));
    std::string bomb = gzip_member(banner + "1 1 1\n1 1 1\n");
    for (int i = 0; i < 20; ++i) bomb += blanks;
    EXPECT_LT(bomb.size(), 200'000u);
    EXPECT_EQ(refusal_of(bomb).substr(0, 37), "memory: goes on beyond 67109120 bytes");
    EXPECT_NE(refusal_of(gzip_member(std::string(std::size_t{8} << 20, '\0'))).find("memory:1:1: expected '%%Matrix"),
              std::string::npos);
}

TEST_F(Input, CommentsOfAnyLengthInGzip) {
    std::string text = banner;
    for (int i = 0; i < 3000; ++i) text += "% " + std::string(98, 'c') + "\n";
    const std::string packed = gzip_member(text) + gzip_member("1 1 1\n1 1 7\n");
    const auto matrix = parse_matrix<double>({packed.data(), packed.size()}, "memory");
    EXPECT_EQ(matrix.coo.values[0], 7);
    EXPECT_EQ(matrix.header.comments.size(), 3000u);
}

/// The lines of a chunk are indexed in a parallel region, out of which no exception may go by itself.
TEST_F(Input, MemoryThatGivesOutWhileLinesAreIndexedIsAnException) {
    const std::string text = banner + "1 1 1\n" + std::string(300'000, '\n');
    for (int threads : {1, 3}) {
        test::largest_allocation = 500'000;
        EXPECT_THROW(parse_matrix<double>({text.data(), text.size()}, "memory", {.threads = threads}), std::bad_alloc);
        test::largest_allocation = ~std::size_t{0};
    }
}

TEST_F(Input, MemoryLeftIsNoMoreThanTheMachineHas) {
    EXPECT_GT(available_memory(), 0);
    EXPECT_LE(available_memory(), physical_memory());
}

}  // namespace
}  // namespace stiefel
