#include "stiefel/core/error.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>

namespace stiefel {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, removed afterwards.
class MatrixMarketWrite : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() /
                  ("stiefel_write_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" +
                   std::to_string(std::random_device{}()));
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

private:
    fs::path folder_;
};

template <class T>
Coo<T> random_coo(Size n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Coo<T> coo{.n_rows = 2147483647,
               .n_cols = 1000,
               .symmetry = Symmetry::general,
               .row_idx = HostVector<Index>(n),
               .col_idx = HostVector<Index>(n),
               .values = HostVector<T>(n)};
    for (Size e = 0; e < n; ++e) {
        coo.row_idx[e] = static_cast<Index>(random() % 2147483647);
        coo.col_idx[e] = static_cast<Index>(random() % 1000);
        using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        do coo.values[e] = std::bit_cast<T>(static_cast<Bits>(random()));
        while (!std::isfinite(coo.values[e]));
    }
    return coo;
}

template <class T>
void expect_equal_bits(const HostVector<T>& a, const HostVector<T>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (Size e = 0; e < a.size(); ++e) ASSERT_EQ(std::memcmp(&a[e], &b[e], sizeof(T)), 0) << "entry " << e;
}

TEST_F(MatrixMarketWrite, IsReadableText) {
    const Coo<double> coo{.n_rows = 3,
                          .n_cols = 3,
                          .symmetry = Symmetry::symmetric,
                          .row_idx = {0, 2},
                          .col_idx = {0, 1},
                          .values = {4, -0.1}};
    write_matrix(path("a.mtx"), coo, {.comments = {"made here"}});
    EXPECT_EQ(content(path("a.mtx")),
              "%%MatrixMarket matrix coordinate real symmetric\n% made here\n3 3 2\n1 1 4\n3 2 -0.1\n");
    const double values[] = {1, 0.5, 1e300, 3};
    write_array<double>(path("b.mtx"), 2, 2, values);
    EXPECT_EQ(content(path("b.mtx")), "%%MatrixMarket matrix array real general\n2 2\n1\n0.5\n1e+300\n3\n");
    EXPECT_EQ(n_files(), 2u);
}

template <class T>
class RoundTrip : public MatrixMarketWrite {};
using RealTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(RoundTrip, RealTypes);

TYPED_TEST(RoundTrip, GivesTheSameBits) {
    for (const char* name : {"a.mtx", "a.mtx.gz"}) {
        for (Size n : {0, 1, 31, 32, 33, 1000, 200'000}) {
            for (int threads : {1, 2, 3, 7}) {
                const Coo<TypeParam> coo = random_coo<TypeParam>(n, 7);
                write_matrix(this->path(name), coo, {.threads = threads});
                const auto read = read_matrix<TypeParam>(this->path(name), {.threads = threads});
                EXPECT_EQ(read.coo.n_rows, coo.n_rows);
                expect_equal_bits(read.coo.row_idx, coo.row_idx);
                expect_equal_bits(read.coo.col_idx, coo.col_idx);
                expect_equal_bits(read.coo.values, coo.values);
            }
        }
    }
}

TYPED_TEST(RoundTrip, OfAnArrayGivesTheSameBits) {
    const HostVector<TypeParam> values = random_coo<TypeParam>(100'000, 8).values;
    write_array<TypeParam>(this->path("x.mtx"), 50'000, 2, values.span());
    const auto read = read_array<TypeParam>(this->path("x.mtx"));
    EXPECT_EQ(read.n_cols, 2);
    expect_equal_bits(read.values, values);
}

TEST_F(MatrixMarketWrite, RefusesWhatTheFormatCannotSayAndLeavesNothingBehind) {
    const double values[] = {1, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_THROW(write_array<double>(path("x.mtx"), 2, 1, values), InvalidArgument);
    EXPECT_THROW(write_array<double>(path("x.mtx"), 3, 1, values), InvalidArgument);
    EXPECT_THROW(write_array<double>(path("x.mtx"), 1, 2, values, {.comments = {"two\nlines"}}), InvalidArgument);
    EXPECT_EQ(n_files(), 0u);
}

TEST_F(MatrixMarketWrite, WritesNaNAndInfinitiesWhereAskedTo) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const double values[] = {1, nan, -nan, infinity, -infinity};
    write_array<double>(path("x.mtx"), 5, 1, values, {.allow_not_finite = true});
    EXPECT_EQ(content(path("x.mtx")), "%%MatrixMarket matrix array real general\n5 1\n1\nnan\nnan\ninf\n-inf\n");
    EXPECT_THROW(read_array<double>(path("x.mtx")), ParseError);
}

TEST_F(MatrixMarketWrite, FullDiskIsAnErrorWithItsReason) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    try {
        write_matrix("/dev/full", random_coo<double>(1000, 9));
        FAIL() << "wrote to a full disk";
    } catch (const FileError& error) {
        EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
    }
}

}  // namespace
}  // namespace stiefel
