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
