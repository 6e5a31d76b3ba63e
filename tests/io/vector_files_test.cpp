#include "stiefel/io/vector_files.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/gzip.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

namespace stiefel {
namespace {

namespace fs = std::filesystem;

class VectorFiles : public testing::Test {
protected:
    VectorFiles() : folder_(fs::temp_directory_path() / fmt::format("stiefel_vectors_{}", std::random_device{}())) {
        fs::create_directory(folder_);
    }
    ~VectorFiles() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    /// What is written of two columns of two values under this name.
    std::string written(const std::string& name) const {
        const HostVector<double> values{1, 0.1, -1e300, std::numeric_limits<double>::min()};
        write_vectors<double>(path(name), 2, 2, values.span(), {.comments = {"a comment"}});
        std::ostringstream text;
        text << std::ifstream(path(name), std::ios::binary).rdbuf();
        return text.str();
    }

private:
    fs::path folder_;
};

TEST_F(VectorFiles, TheEndingSaysTheFormat) {
    const std::string market = written("x.mtx");
    EXPECT_TRUE(market.starts_with("%%MatrixMarket matrix array real general\n% a comment\n2 2\n1\n")) << market;
    EXPECT_EQ(written("x"), market);
    EXPECT_EQ(written("x.MTX"), market);
    EXPECT_TRUE(written("x.mtx.gz").starts_with("\x1f\x8b"));
    EXPECT_TRUE(written("x.gz").starts_with("\x1f\x8b"));
    EXPECT_TRUE(written("x.npy").starts_with("\x93NUMPY"));
    EXPECT_EQ(written("x.csv"), "1,-1e+300\n0.1,2.2250738585072014e-308\n");
    EXPECT_TRUE(written("x.csv.gz").starts_with("\x1f\x8b"));
}

TEST_F(VectorFiles, PlainNumbersAreReadBack) {
    written("x.csv");
    written("x.csv.gz");
    for (const char* name : {"x.csv", "x.csv.gz"}) {
        const auto x = read_vectors<double>(path(name), 2);
        ASSERT_EQ(x.n_cols, 2);
        const double expected[] = {1, 0.1, -1e300, std::numeric_limits<double>::min()};
        for (Size i = 0; i < 4; ++i) EXPECT_EQ(x.values[i], expected[i]) << i;
    }
    EXPECT_THROW(read_matrix<double>(path("x.csv")), ParseError);
    const auto parse = [](const std::string& text) {
        return parse_vector<double>({text.data(), text.size()}, "memory", 3);
    };
    EXPECT_EQ(parse("# a comment\n1.5e0\r\n\n  2\n3 % the last")[1], 2);
    const auto refusal = [&](const std::string& text) -> std::string {
        try {
            parse(text);
        } catch (const ParseError& error) {
            return error.what();
        }
        return "read";
    };
    EXPECT_EQ(refusal("1\n2\nx\n"), "memory:3:1: expected a finite number, found 'x'");
    EXPECT_EQ(refusal("1\n2 3\n"), "memory:2:1: expected 1 numbers as in the first row, found 2");
    EXPECT_NE(refusal(std::string("%\0\n\0\n", 5)), "read");
    EXPECT_EQ(refusal("1\n2,\n"), "memory:2:3: expected a number after the comma, found the end of the line");
    EXPECT_EQ(refusal("1\n2\n"), "memory: expected a vector of 3 rows and 1 column, found 2 x 1");
    // Entries of a sparse vector, or three columns: not guessed.
    EXPECT_EQ(refusal("1 1 0.5\n2 1 0.5\n3 1 1\n").substr(0, 51),
              "memory:1:1: expected '%%MatrixMarket matrix ...', f");
}

TEST_F(VectorFiles, EndingsThatAreNotKnownAreRefused) {
    for (const char* name : {"x.dat", "x.txt", "x.mat", "x.npy.gz", "x.mtx.bz2"}) {
        EXPECT_FALSE(vector_format_of(name)) << name;
        EXPECT_THROW(written(name), InvalidArgument) << name;
        EXPECT_FALSE(fs::exists(path(name))) << name;
    }
    EXPECT_EQ(vector_format_of("-"), VectorFormat::matrix_market);
    EXPECT_EQ(vector_format_of("/dev/null"), VectorFormat::matrix_market);
    EXPECT_EQ(vector_format_of("run.1/x"), VectorFormat::matrix_market);
}

}  // namespace
}  // namespace stiefel
