#include "stiefel/io/numpy.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

namespace stiefel {
namespace {

namespace fs = std::filesystem;

template <class Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
    std::string bytes(numbers.size() * sizeof(Number), '\0');
    std::memcpy(bytes.data(), numbers.begin(), bytes.size());
    return bytes;
}

/// A file of version 1.0 as NumPy writes it.
std::string npy(const std::string& descr, const std::string& order, const std::string& shape, const std::string& data) {
    std::string line = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    line.append(63 - (10 + line.size()) % 64, ' ');
    line += '\n';
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(line.size()) + '\0' + line + data;
}

template <class T = double>
DenseArray<T> parse_npy(const std::string& text) {
    return parse_array<T>({text.data(), text.size()}, "memory");
}

std::string refusal_of(const std::string& text) {
    try {
        parse_npy<float>(text);
    } catch (const ParseError& error) {
        return error.what();
    }
    return "read";
}

TEST(Numpy, ArraysOfBothOrdersAndBothPrecisions) {
    for (const auto& text : {npy("<f8", "False", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6})),
                             npy("<f4", "False", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})),
                             npy("<f8", "True", "(2, 3)", bytes_of<double>({1, 4, 2, 5, 3, 6}))}) {
        const auto array = parse_npy(text);
        ASSERT_EQ(array.n_rows, 2);
        ASSERT_EQ(array.n_cols, 3);
        const double expected[] = {1, 4, 2, 5, 3, 6};
        for (Size i = 0; i < 6; ++i) EXPECT_EQ(array.values[i], expected[i]) << i;
    }
    const auto vector = parse_npy(npy("<f8", "False", "(2,)", bytes_of<double>({7, 8})));
    EXPECT_EQ(vector.n_rows, 2);
    EXPECT_EQ(vector.n_cols, 1);
    EXPECT_EQ(vector.values[1], 8);
    EXPECT_EQ(parse_npy(npy(">f8", "False", "(1,)", std::string("\x3f\xf0\0\0\0\0\0\0", 8))).values[0], 1);
}

TEST(Numpy, WhatIsNotReadSaysWhyAndTheWayOut) {
    const std::string two = bytes_of<double>({1, 2});
    EXPECT_NE(refusal_of(npy("<i8", "False", "(2,)", two)).find("numbers of type '<i8'"), std::string::npos);
    EXPECT_NE(refusal_of(npy("<i8", "False", "(2,)", two)).find("astype('f8')"), std::string::npos);
    EXPECT_NE(refusal_of(npy("<f8", "False", "(3,)", two)).find("expected 3 numbers, found 2"), std::string::npos);
    EXPECT_NE(refusal_of(npy("<f8", "False", "(1, 1, 2)", two)).find("shape (1, 1, 2)"), std::string::npos);
    EXPECT_NE(refusal_of(npy("<f8", "False", "()", two)).find("shape ()"), std::string::npos);
    EXPECT_NE(refusal_of(npy("<f8", "False", "(2,)", bytes_of<double>({1, 1e300}))).find("in row 2, column 1"),
              std::string::npos);
    for (std::size_t n : {6u, 9u, 11u, 20u, 60u}) {
        EXPECT_NE(refusal_of(npy("<f8", "False", "(2,)", two).substr(0, n)).find("cut short"), std::string::npos) << n;
    }
}

TEST(Numpy, VectorsAreTakenWhereMatrixMarketIs) {
    const std::string text = npy("<f8", "False", "(2,)", bytes_of<double>({7, 8}));
    EXPECT_EQ(parse_vector<double>({text.data(), text.size()}, "memory", 2)[1], 8);
    try {
        parse_vector<double>({text.data(), text.size()}, "memory", 3);
        FAIL() << "took 2 rows for 3";
    } catch (const ParseError& error) {
        EXPECT_STREQ(error.what(), "memory: expected a vector of 3 rows and 1 column, found 2 x 1");
    }
}

TEST(Numpy, WrittenFilesAreByteForByteNumPysAndReadBack) {
    const fs::path path = fs::temp_directory_path() / fmt::format("x{}.npy", std::random_device{}());
    const HostVector<double> x{1, -2.5, std::numeric_limits<double>::infinity(), 0};
    write_numpy<double>(path.string(), 2, 2, x.span());
    std::ostringstream written;
    written << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(written.str(), npy("<f8", "True", "(2, 2)", bytes_of<double>({1, -2.5, x[2], 0})));
    const HostVector<float> y{1, 2, 3};
    write_numpy<float>(path.string(), 3, 1, y.span());
    EXPECT_EQ(read_vector<double>(path.string(), 3)[2], 3);
    fs::remove(path);
}

}  // namespace
}  // namespace stiefel
