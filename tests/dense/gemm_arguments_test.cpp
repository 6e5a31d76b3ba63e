#include "stiefel/dense/check_matrix.hpp"
#include "stiefel/dense/gemm_kernels.hpp"
#include "support/csr_checks.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiefel::test {
namespace {

struct GemmRefusal : ::testing::Test {
    HostVector<double> a = HostVector<double>(Size{12}, 1.0);
    HostVector<double> b = HostVector<double>(Size{12}, 1.0);
    HostVector<double> c = HostVector<double>(Size{16}, 1.0);
    Serial backend;

    std::string text(HostMatrix<const double> x, HostMatrix<const double> y, HostMatrix<double> z) {
        return refusal([&] { gemm(backend, Op::none, Op::none, 1, x, y, 0, z); });
    }
};

TEST_F(GemmRefusal, NamesTheArgumentThatDoesNotFit) {
    const HostMatrix<const double> x{a.data(), 3, 4, 4};
    const HostMatrix<const double> y{b.data(), 4, 3, 3};
    const HostMatrix<double> z{c.data(), 3, 3, 3};
    EXPECT_EQ(text(x, y, z), "");
    EXPECT_EQ(text(x, {b.data(), 3, 4, 4}, z),
              "gemm: the columns of op(A) must match the rows of op(B) (op(A): 4, op(B): 3)");
    EXPECT_EQ(text(x, y, {c.data(), 4, 3, 3}), "gemm: C must have the rows of op(A) (C: 4, op(A): 3)");
    EXPECT_EQ(text(x, y, {c.data(), 3, 4, 4}), "gemm: C must have the columns of op(B) (C: 4, op(B): 3)");
    EXPECT_EQ(text({a.data(), 3, 4, 3}, y, z),
              "gemm: A: the leading dimension is 3; it must be at least 1 and the number of columns, 4");
    EXPECT_EQ(text(x, {b.data(), 4, 3, -3}, z),
              "gemm: B: the leading dimension is -3; it must be at least 1 and the number of columns, 3");
    EXPECT_EQ(text(x, y, {c.data(), -3, 3, 3}), "gemm: C: the size is -3 x 3, negative");
    EXPECT_EQ(text({nullptr, 3, 4, 4}, y, z), "gemm: A: the data pointer is null");
}

TEST_F(GemmRefusal, CountsBytesWithoutOverflow) {
    const Size huge = std::numeric_limits<Size>::max() / 8;
    EXPECT_EQ(text({a.data(), 3, 4, huge}, {b.data(), 4, 3, 3}, {c.data(), 3, 3, 3}),
              "gemm: A: 3 rows with leading dimension 1152921504606846975 exceed 2^63 bytes");
}

TEST_F(GemmRefusal, SeesOverlap) {
    const HostMatrix<const double> y{b.data(), 4, 3, 3};
    EXPECT_EQ(text({c.data() + 8, 2, 4, 4}, y, {c.data(), 2, 3, 5}), "");
    EXPECT_EQ(text({c.data() + 7, 2, 4, 4}, y, {c.data(), 2, 3, 5}), "gemm: C and A overlap in memory");
    EXPECT_EQ(text({a.data(), 3, 4, 4}, y, {b.data() + 2, 3, 3, 3}), "gemm: C and B overlap in memory");
}

/// Every placement of one small matrix against another in one array, against the sets of their elements.
TEST(Overlap, IsExactForMatricesOfOneArray) {
    const HostVector<float> array(Size{200}, 0.0F);
    for (Size ld = 4; ld <= 6; ++ld) {
        for (Index cols = 0; cols <= 4; ++cols) {
            for (Size offset = 0; offset < 60; ++offset) {
                const HostMatrix<const float> a{array.data() + 30, 3, 2, ld};
                const HostMatrix<const float> b{array.data() + offset, 2, cols, ld};
                bool expected = false;
                for (Index i = 0; i < a.n_rows * a.n_cols; ++i) {
                    for (Index j = 0; j < b.n_rows * b.n_cols; ++j) {
                        expected |=
                            a.data + (i / a.n_cols) * ld + i % a.n_cols == b.data + (j / b.n_cols) * ld + j % b.n_cols;
                    }
                }
                EXPECT_EQ(overlap(shape_of(a), shape_of(b)), expected) << ld << " " << cols << " " << offset;
                EXPECT_EQ(overlap(shape_of(b), shape_of(a)), expected) << ld << " " << cols << " " << offset;
            }
        }
    }
}

TEST(AsMatrix, RefusesAVectorThatIsTooShort) {
    HostVector<double> v(Size{11});
    EXPECT_EQ(refusal([&] { as_matrix(v, 3, 4); }), "as_matrix: the vector has fewer than n_rows * n_cols elements");
    EXPECT_EQ(refusal([&] { as_matrix(v, -3, 4); }), "as_matrix: n_rows and n_cols must not be negative");
    EXPECT_EQ(as_matrix(v, 5, 2).ld, 2);
}

TEST(GemmTuning, RefusesTilesAndChunksThatMakeNoSense) {
    HostVector<double> v(Size{4}, 1.0);
    HostVector<double> c(Size{4}, 1.0);
    const auto arguments = gemm_arguments<double, HostMemory>(Op::none, Op::none, 1.0, as_matrix(v, 2, 2),
                                                              as_matrix(v, 2, 2), 0.0, as_matrix(c, 2, 2));
    OpenMP backend(2);
    const auto tiled = gemm_kernels<double>(backend)[2];
    EXPECT_EQ(refusal([&] { tiled.run(backend, arguments, {.tile = -1}); }), "gemm: tile must lie between 1 and 4096");
    EXPECT_EQ(refusal([&] { tiled.run(backend, arguments, {.chunk = -1}); }), "gemm: chunk must not be negative");
}

}  // namespace
}  // namespace stiefel::test
