#include "stiefel/io/usual_line.hpp"
#include "io/guarded.hpp"
#include "stiefel/io/decimal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <string>

// Built twice: for this machine's instructions, and without the SSE4.1 that the quicker half of digits.hpp needs.

namespace stiefel {
namespace {

TEST(Digits, ClassifyTellsEveryByte) {
    for (int byte = 0; byte < 256; ++byte) {
        std::string text(64, '5');
        text[0] = text[7] = text[63] = static_cast<char>(byte);
        const std::uint64_t places = std::uint64_t{1} << 63 | 1 << 7 | 1;
        const ByteClasses classes = classify_64(text.c_str());
        EXPECT_EQ(classes.non_digits, byte >= '0' && byte <= '9' ? 0 : places) << byte;
        EXPECT_EQ(classes.newlines, byte == '\n' ? places : 0) << byte;
        EXPECT_EQ(classes.no_entry, byte <= ' ' || byte == '%' ? places : 0) << byte;
    }
}

TEST(Digits, AddUpToNumbers) {
    const std::string text = guarded("98765432");
    const std::array<std::uint64_t, 9> values{0, 9, 98, 987, 9876, 98765, 987654, 9876543, 98765432};
    for (int i = 1; i <= 8; ++i) {
        EXPECT_EQ(number_of(text.c_str(), i), values[static_cast<std::size_t>(i)]);
        for (int j = 1; j <= 8; ++j) {
            const TwoNumbers two = two_numbers(text.c_str(), i, text.c_str(), j);
            EXPECT_EQ(two.first, values[static_cast<std::size_t>(i)]);
            EXPECT_EQ(two.second, values[static_cast<std::size_t>(j)]);
        }
    }
}

TEST(Digits, JoinAcrossThePoint) {
    const std::string digits = "1234567890123456789";
    for (int n_integer = 1; n_integer <= 8; ++n_integer) {
        for (int n_decimals = 0; n_integer + n_decimals <= exact_digits; ++n_decimals) {
            const std::string integer = digits.substr(0, static_cast<std::size_t>(n_integer));
            const std::string decimals = digits.substr(integer.size(), static_cast<std::size_t>(n_decimals));
            EXPECT_EQ(joined_number(guarded(integer + '.' + decimals).c_str(), n_integer, n_decimals),
                      std::stoull(integer + decimals));
        }
    }
}

std::uint64_t non_digits(const std::string& line) {
    return classify_64(line.c_str()).non_digits;
}

/// Whether the quick way takes the line "value"; if it does, it must give the general parser's number.
template <class T>
bool takes_real(const std::string& value) {
    const std::string line = guarded(value);
    T quick = -99, general = -98;
    UsualLine usual(line.c_str(), non_digits(line));
    if (!usual.parse_real(quick)) return false;
    const char* at = line.c_str();
    EXPECT_EQ(parse_real(at, general), NumberStatus::ok) << value;
    EXPECT_EQ(at, line.c_str() + value.size()) << value;
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    EXPECT_EQ(std::bit_cast<Bits>(quick), std::bit_cast<Bits>(general)) << value;
    return true;
}

template <class T>
class UsualReal : public testing::Test {};
using RealTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(UsualReal, RealTypes);

TYPED_TEST(UsualReal, TakesWhatProgramsWrite) {
    for (const char* value : {"0", "-0", "1", "-1", "12345678", "1.5", "-0.125", "3.", "1.23456789012345e-05",
                              "-1.5E+3", "2e10", "0.973529039593149", "-0.0848767567012803", "0.00000", "1e0"}) {
        EXPECT_TRUE(takes_real<TypeParam>(value)) << value;
    }
}

TYPED_TEST(UsualReal, LeavesTheRestAlone) {
    for (const char* value :
         {"",      "-",      ".",    ".5",    "+1",     "123456789", "1.5x", "1e",   "1e+",
          "1e-",   "1e1234", "1d5",  "--1",   "1..5",   " 1",        "1 ",   "1\t",  "1\r",
          "nan",   "inf",    "0x10", "1e400", "1e-400", "1.5e5e",    "%",    "1.5.", "0.12345678901234567890123456789",
          "1e5.0", "-e5",    "-.e5"}) {
        EXPECT_FALSE(takes_real<TypeParam>(value)) << value;
    }
}

TYPED_TEST(UsualReal, AgreesWithTheGeneralParser) {
    std::mt19937_64 random(1);
    const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
    int n_taken = 0;
    for (int trial = 0; trial < 300'000 && !this->HasFailure(); ++trial) {
        std::string value(static_cast<std::size_t>(below(2)), '-');
        for (int n = 1 + below(below(2) ? 2 : 8); n > 0; --n) value += static_cast<char>('0' + below(10));
        if (below(8)) value += '.';
        if (value.back() == '.') {
            for (int n = below(19); n > 0; --n) value += static_cast<char>('0' + below(10));
        }
        const char* const signs[] = {"", "+", "-"};
        if (below(2)) value += fmt::format("{}{}{}", below(2) ? 'e' : 'E', signs[below(3)], below(60));
        n_taken += takes_real<TypeParam>(value);
    }
    EXPECT_GT(n_taken, 100'000);
}

/// Lines are read by the mask of 64 bytes: whatever stands at its end must not be taken for more than it is.
TEST(UsualLine, LinesOfAnyLengthAreReadRightOrDeclined) {
    for (std::size_t length = 1; length < 70; ++length) {
        for (const char* filling : {"1", "10", " 1", "1 ", ".", "1.", "-", "-1", "e1", "1e"}) {
            std::string text;
            while (text.size() < length) text += filling;
            text.resize(length);
            const std::string line = guarded(text);
            Index row = 0, col = 0;
            double value = 0;
            UsualLine usual(line.c_str(), non_digits(line));
            const bool taken = usual.parse_indices(2147483647, 2147483647, ' ', row, col) && usual.parse_real(value);
            EXPECT_EQ(taken, text == "1 1 1") << text;
            takes_real<double>(text);
        }
    }
}

TEST(UsualLine, Indices) {
    const auto parse = [](const std::string& text, Index size) {
        const std::string line = guarded(text);
        Index row = -1, col = -1;
        UsualLine usual(line.c_str(), non_digits(line));
        const bool taken = usual.parse_indices(size, size, '\n', row, col);
        return taken ? fmt::format("{},{}", row, col) : "declined";
    };
    EXPECT_EQ(parse("1 1", 1), "0,0");
    EXPECT_EQ(parse("99999999 12345678", 100'000'000), "99999998,12345677");
    EXPECT_EQ(parse("99999999 12345678", 99'999'998), "declined");
    for (const char* text :
         {"0 1",  "1 0",  "2 1",  "1 2",  "",     " ",   "1",   "1 ",          " 1",          "1 1 ",
          " 1 1", "1  1", "1\t1", "-1 1", "1 -1", "a 1", "1 a", "123456789 1", "1 123456789", "1,1"}) {
        EXPECT_EQ(parse(text, 1), "declined") << text;
    }
}

TEST(UsualLine, Integers) {
    const auto parse = [](const std::string& text) {
        const std::string line = guarded(text);
        float value = -99;
        UsualLine usual(line.c_str(), non_digits(line));
        return usual.parse_integer(value) ? std::to_string(value) : "declined";
    };
    EXPECT_EQ(parse("0"), "0.000000");
    EXPECT_EQ(parse("-0"), "0.000000");
    EXPECT_EQ(parse("-16777216"), "-16777216.000000");
    for (const char* text : {"16777217", "", "-", "+1", "1.", "1e5", "123456789", "1 ", " 1"})
        EXPECT_EQ(parse(text), "declined") << text;
}

}  // namespace
}  // namespace stiefel
