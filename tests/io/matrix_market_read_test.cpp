#include "stiefel/core/error.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace stiefel {
namespace {

using Entries = std::vector<std::tuple<Index, Index, double>>;

std::span<const char> bytes(const std::string& text) {
    return {text.data(), text.size()};
}

MatrixMarket<double> parse(const std::string& text, const ReadOptions& options = {}) {
    return parse_matrix<double>(bytes(text), "test.mtx", options);
}

/// Entries as the file counts them, from 1.
template <class T>
Entries entries(const Coo<T>& coo) {
    Entries list;
    for (Size e = 0; e < coo.n_entries(); ++e) {
        list.emplace_back(coo.row_idx[e] + 1, coo.col_idx[e] + 1, static_cast<double>(coo.values[e]));
    }
    return list;
}

/// Parses in every combination of chunk size and threads that could tell lines apart wrongly; all must agree.
Entries parse_all_ways(const std::string& text) {
    const Entries expected = entries(parse(text).coo);
    for (Size chunk_bytes : {1, 2, 7, 40, 1 << 20}) {
        for (int threads : {1, 2, 3, 7}) {
            EXPECT_EQ(entries(parse(text, {.threads = threads, .chunk_bytes = chunk_bytes}).coo), expected)
                << "chunks of " << chunk_bytes << " bytes, " << threads << " threads";
        }
    }
    return expected;
}

TEST(MatrixMarketRead, GeneralCoordinate) {
    const std::string text =
        "%%MatrixMarket matrix coordinate real general\n% made by hand\n2 3 3\n1 1 1.5\n2 3 -2\n1 2 1e-3\n";
    const auto matrix = parse(text);
    EXPECT_EQ(matrix.header.format, MatrixMarketFormat::coordinate);
    EXPECT_EQ(matrix.header.field, MatrixMarketField::real);
    EXPECT_EQ(matrix.coo.symmetry, Symmetry::general);
    EXPECT_EQ(matrix.coo.n_rows, 2);
    EXPECT_EQ(matrix.coo.n_cols, 3);
    EXPECT_EQ(matrix.header.comments, std::vector<std::string>{"made by hand"});
    EXPECT_TRUE(matrix.notes.empty());
    EXPECT_EQ(parse_all_ways(text), (Entries{{1, 1, 1.5}, {2, 3, -2}, {1, 2, 1e-3}}));
}

TEST(MatrixMarketRead, FreeForm) {
    EXPECT_EQ(parse_all_ways(
                  "\r\n \t \n  %%MATRIXmarket\tMatrix  COORDINATE Real GENERAL \r\n%\n\n%x\r\n\t 2 2   4\r\n"
                  "\r\n  1 1 +1 \n% between\n\t2\t2\t1.\r\n\n 1  2  .5\n   % indented\n+2 +1 1D+5\r\n\n \t\n% last"),
              (Entries{{1, 1, 1}, {2, 2, 1}, {1, 2, 0.5}, {2, 1, 1e5}}));
}

TEST(MatrixMarketRead, LinesOfAnyLengthAndNoNewlineAtTheEnd) {
    const std::string blanks(5000, ' ');
    EXPECT_EQ(
        parse_all_ways("%%MatrixMarket matrix coordinate real general\n% " + std::string(5000, 'x') + "\n1 2 2\n1" +
                       blanks + "1" + blanks + "0." + std::string(3000, '0') + "1e3001\n" + blanks + "1 2 2"),
        (Entries{{1, 1, 1}, {1, 2, 2}}));
}

TEST(MatrixMarketRead, Pattern) {
    EXPECT_EQ(parse_all_ways("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n"),
              (Entries{{1, 1, 1}, {3, 2, 1}}));
}

TEST(MatrixMarketRead, IntegersAreNotedWhereTheyRound) {
    const auto exact = parse("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -9007199254740992\n1 2 7\n");
    EXPECT_TRUE(exact.notes.empty());
    const auto rounded = parse(
        "%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 9007199254740993\n1 2 9223372036854775807\n");
    EXPECT_EQ(entries(rounded.coo), (Entries{{1, 1, 9007199254740992.0}, {1, 2, 9223372036854775808.0}}));
    ASSERT_EQ(rounded.notes.size(), 1u);
    EXPECT_EQ(rounded.notes[0], "2 integers exceed what double precision holds exactly; they were rounded");
}

TEST(MatrixMarketRead, DuplicatesAndZerosStay) {
    EXPECT_EQ(parse_all_ways("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0\n1 1 2\n1 1 3\n"),
              (Entries{{1, 1, 0}, {1, 1, 2}, {1, 1, 3}}));
}

TEST(MatrixMarketRead, UpperTriangleIsMirroredWithANote) {
    const std::string text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n1 3 4\n2 3 5\n";
    EXPECT_EQ(parse_all_ways(text), (Entries{{1, 1, 2}, {3, 1, 4}, {3, 2, 5}}));
    const auto matrix = parse(text);
    ASSERT_EQ(matrix.notes.size(), 1u);
    EXPECT_EQ(matrix.notes[0], "the file lists the upper triangle; it was mirrored");
    EXPECT_EQ(matrix.coo.symmetry, Symmetry::symmetric);
}

TEST(MatrixMarketRead, SkewUpperTriangleChangesSign) {
    EXPECT_EQ(parse_all_ways("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n1 3 4\n3 2 5\n"),
              (Entries{{3, 1, -4}, {3, 2, 5}}));
}

TEST(MatrixMarketRead, MixedTrianglesAreMirroredWhereNoEntryIsGivenTwice) {
    const auto matrix = parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 3 4\n2 2 1\n3 2 5\n1 3 1\n");
    EXPECT_EQ(entries(matrix.coo), (Entries{{3, 1, 4}, {2, 2, 1}, {3, 2, 5}, {3, 1, 1}}));
    ASSERT_EQ(matrix.notes.size(), 1u);
    EXPECT_EQ(matrix.notes[0], "the file lists entries of both triangles; 2 above the diagonal were mirrored");
}

TEST(MatrixMarketRead, RealHermitianIsSymmetric) {
    const auto matrix = parse("%%MatrixMarket matrix coordinate real Hermitian\n2 2 1\n2 1 4\n");
    EXPECT_EQ(matrix.coo.symmetry, Symmetry::symmetric);
    EXPECT_EQ(matrix.notes.size(), 1u);
}

TEST(MatrixMarketRead, ArraysListColumns) {
    EXPECT_EQ(parse_all_ways("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n"),
              (Entries{{1, 1, 1}, {2, 1, 2}, {1, 2, 3}, {2, 2, 0}, {1, 3, 5}, {2, 3, 6}}));
    EXPECT_EQ(parse_all_ways("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
              (Entries{{1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {2, 2, 4}, {3, 2, 5}, {3, 3, 6}}));
    EXPECT_EQ(parse_all_ways("%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n3\n5\n"),
              (Entries{{2, 1, 2}, {3, 1, 3}, {3, 2, 5}}));
}

TEST(MatrixMarketRead, EmptyMatrices) {
    for (const char* text : {"%%MatrixMarket matrix coordinate real general\n0 0 0\n",
                             "%%MatrixMarket matrix coordinate real symmetric\n3 3 0",
                             "%%MatrixMarket matrix array real general\n0 2147483647\n",
                             "%%MatrixMarket matrix array real skew-symmetric\n1 1\n"}) {
        EXPECT_EQ(parse_all_ways(text), Entries{}) << text;
    }
}

TEST(MatrixMarketRead, ManyLinesInManyChunks) {
    for (int n : {31, 32, 33, 1000, 20000}) {
        std::string text =
            "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " 1 " + std::to_string(n) + "\n";
        Entries expected;
        for (int i = 1; i <= n; ++i) {
            if (i % 700 == 0) text += "% comment\n\n";
            text += std::to_string(i) + " 1 " + std::to_string(i) + ".25\n";
            expected.emplace_back(i, 1, i + 0.25);
        }
        for (Size chunk_bytes : {1, 100, 5000}) {
            for (int threads : {1, 2, 3, 7}) {
                EXPECT_EQ(entries(parse(text, {.threads = threads, .chunk_bytes = chunk_bytes}).coo), expected);
            }
        }
    }
}

TEST(MatrixMarketRead, FloatIsRoundedFromTheDecimal) {
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.00000017881393432617187499\n";
    EXPECT_EQ(parse_matrix<float>(bytes(text), "test.mtx").coo.values[0], 1.00000011920928955078125f);
}

TEST(MatrixMarketRead, Vectors) {
    const auto vector = [](const std::string& text, Index n_rows = -1) {
        const HostVector<double> v = parse_vector<double>(bytes(text), "b.mtx", n_rows);
        return std::vector<double>(v.begin(), v.end());
    };
    EXPECT_EQ(vector("%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n", 3), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(vector("%%MatrixMarket matrix coordinate real general\n3 1 3\n3 1 1\n1 1 2\n3 1 5\n"),
              (std::vector<double>{2, 0, 6}));
    EXPECT_THROW(vector("%%MatrixMarket matrix array real general\n1 3\n1\n2\n3\n"), ParseError);
    EXPECT_THROW(vector("%%MatrixMarket matrix coordinate real general\n2147483647 1 0\n", 5), ParseError);
}

TEST(MatrixMarketRead, SymmetricArraysExpand) {
    const std::string text = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n";
    const DenseArray<double> array = parse_array<double>(bytes(text), "x.mtx");
    EXPECT_EQ(std::vector<double>(array.values.begin(), array.values.end()),
              (std::vector<double>{0, 1, 2, -1, 0, 3, -2, -3, 0}));
}

}  // namespace
}  // namespace stiefel
