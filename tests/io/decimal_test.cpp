#include "stiefel/io/decimal.hpp"
#include "io/guarded.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

namespace stiefel {
namespace {

template <class T>
struct Parsed {
    NumberStatus status;
    T value = 0;
    std::size_t length = 0;
};

template <class T>
Parsed<T> parse_number(const std::string& number) {
    const std::string text = guarded(number);
    const char* at = text.c_str();
    Parsed<T> parsed;
    parsed.status = parse_real(at, parsed.value);
    parsed.length = static_cast<std::size_t>(at - text.c_str());
    return parsed;
}

double library_value(const std::string& text, double) {
    return std::strtod(text.c_str(), nullptr);
}
float library_value(const std::string& text, float) {
    return std::strtof(text.c_str(), nullptr);
}

/// Compares bits with the C library, which rounds correctly.
template <class T>
void expect_correctly_rounded(const std::string& number) {
    const Parsed<T> parsed = parse_number<T>(number);
    const T expected = library_value(number, T{});
    if (std::isinf(expected)) {
        EXPECT_EQ(parsed.status, NumberStatus::overflow) << number;
        return;
    }
    ASSERT_EQ(parsed.status, NumberStatus::ok) << number;
    EXPECT_EQ(parsed.length, number.size()) << number;
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    EXPECT_EQ(std::bit_cast<Bits>(parsed.value), std::bit_cast<Bits>(expected)) << number;
}

template <class T>
class DecimalTest : public testing::Test {};
using RealTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(DecimalTest, RealTypes);

TYPED_TEST(DecimalTest, ReadsEveryNotation) {
    for (const char* number : {"0",
                               "-0",
                               "+0",
                               "1",
                               "+1",
                               "-1",
                               "1.",
                               ".5",
                               "-.5",
                               "1.5",
                               "1e5",
                               "1E5",
                               "1e+5",
                               "1e-5",
                               "007",
                               "00000000000000000000000001",
                               "0.00000000000000000000000000001",
                               "1e0000000000000000001",
                               "123456789012345678901234567890",
                               "12345678.12345678",
                               "1.2345678e-3",
                               "-1e-400",
                               "1e-99999999999999999999",
                               "0e99999999999999999999",
                               "0.000e400",
                               "1e400",
                               "-1e400"}) {
        expect_correctly_rounded<TypeParam>(number);
    }
}

TYPED_TEST(DecimalTest, ReadsFortranExponents) {
    for (const char* number : {"1D5", "1d5", "1D+5", "1.25d-3", "-.5D0", "12345678901234567890123D-10"}) {
        std::string c_notation = number;
        for (char& c : c_notation) c = c == 'D' || c == 'd' ? 'e' : c;
        const auto parsed = parse_number<TypeParam>(number);
        ASSERT_EQ(parsed.status, NumberStatus::ok) << number;
        EXPECT_EQ(parsed.value, library_value(c_notation, TypeParam{})) << number;
        EXPECT_EQ(parsed.length, c_notation.size());
    }
}

TYPED_TEST(DecimalTest, RoundsTiesToEvenAndTheirNeighboursAway) {
    using Limits = std::numeric_limits<TypeParam>;
    // Halfway between neighbours of any size, exactly, and one digit beside it: the decimal expansion is finite.
    for (int exponent : {-1070, -200, -145, -130, -120, -60, -1, 0, 23, 52, 53, 60, 100, 900}) {
        for (int step : {1, 2, 3, 1000001}) {
            const long double ulp = std::ldexp(1.0L, exponent);
            const long double tie = ulp * step + ulp / 2;
            std::string digits = fmt::format("{:.1200f}", static_cast<double>(tie));
            digits.resize(digits.find_last_not_of('0') + 1);
            expect_correctly_rounded<TypeParam>(digits);
            expect_correctly_rounded<TypeParam>(digits + "0000000000000000000001");
            expect_correctly_rounded<TypeParam>("-" + digits);
        }
    }
    for (TypeParam value : {Limits::min(), Limits::denorm_min(), Limits::max(), TypeParam(1),
                            std::nextafter(Limits::min(), TypeParam(0))}) {
        expect_correctly_rounded<TypeParam>(fmt::format("{:.1200f}", value));
        const long double halfway = (static_cast<long double>(value) + std::nextafter(value, TypeParam(0))) / 2;
        char text[6000];
        std::snprintf(text, sizeof text, "%.1200Lf", halfway);
        expect_correctly_rounded<TypeParam>(text);
    }
    expect_correctly_rounded<TypeParam>("9007199254740993");
    expect_correctly_rounded<TypeParam>("16777217");
    expect_correctly_rounded<TypeParam>("16777217.0000000001");
    expect_correctly_rounded<TypeParam>("16777216.9999999999999999999");
    // Rounds to a float midpoint as a double, and from there the wrong way.
    expect_correctly_rounded<TypeParam>("1.00000017881393432617187499");
    expect_correctly_rounded<TypeParam>("1.00000017881393432617187501");
    // The largest number, the halfway point beyond it, and around that.
    expect_correctly_rounded<TypeParam>("340282346638528859811704183484516925440");
    expect_correctly_rounded<TypeParam>("340282356779733661637539395458142568447");
    expect_correctly_rounded<TypeParam>("340282356779733661637539395458142568448");
    expect_correctly_rounded<TypeParam>("3.4028235e38");
    expect_correctly_rounded<TypeParam>("3.4028236e38");
    expect_correctly_rounded<TypeParam>("1.7976931348623157e308");
    expect_correctly_rounded<TypeParam>("1.7976931348623159e308");
}

TYPED_TEST(DecimalTest, RoundsAMillionRandomDecimalsAsTheLibraryDoes) {
    std::mt19937_64 random(20240817);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    for (int trial = 0; trial < 1'000'000 && !this->HasFailure(); ++trial) {
        std::string number;
        switch (below(4)) {
            case 0:  // any bits, written to about as many digits as they have
                number = fmt::format(
                    "{:.{}e}", std::bit_cast<double>(random() >> 1 & ~(std::uint64_t{1} << 62) >> below(2)), below(20));
                break;
            case 1: {  // digits of any number around a point
                for (std::uint64_t n = below(30); n > 0; --n) number += static_cast<char>('0' + below(10));
                number += '.';
                for (std::uint64_t n = below(30); n > 0; --n) number += static_cast<char>('0' + below(10));
                if (number.size() == 1) number += '0';
                break;
            }
            case 2:  // few digits and an exponent: the short way, and its edges
                number = fmt::format("{}e{}", random() >> below(64), static_cast<int>(below(60)) - 30);
                break;
            default:  // around the smallest and largest floats and doubles
                number =
                    fmt::format("{}.{}e{}", below(10), random(),
                                (below(2) ? 1 : -1) * static_cast<int>(below(2) ? 30 + below(20) : 300 + below(30)));
        }
        if (number.find("nan") != std::string::npos || number.find("inf") != std::string::npos) continue;
        if (below(2)) number.insert(0, 1, '-');
        expect_correctly_rounded<TypeParam>(number);
    }
}

TYPED_TEST(DecimalTest, SaysWhatIsNoNumber) {
    for (const char* text : {"", ".", "-", "+", "e5", "-.e5", "x", "1e", "1e+", "1d-", "--1", "+-1", "infinit", "na"}) {
        EXPECT_EQ(parse_number<TypeParam>(text).status, NumberStatus::not_a_number) << text;
    }
    for (const char* text : {"nan", "NaN", "-nan", "inf", "-Inf", "+INF", "infinity", "-Infinity"}) {
        EXPECT_EQ(parse_number<TypeParam>(text).status, NumberStatus::not_finite) << text;
    }
}

TEST(Integer, CoversItsRangeAndNoMore) {
    const auto parse_text = [](const std::string& number, std::int64_t& value) {
        const std::string text = guarded(number);
        const char* at = text.c_str();
        const NumberStatus status = parse_integer(at, value);
        const bool is_whole = static_cast<std::size_t>(at - text.c_str()) == number.size();
        EXPECT_TRUE(is_whole || status != NumberStatus::ok) << number;
        return status;
    };
    std::int64_t value = 0;
    for (const auto& [text, expected] :
         std::initializer_list<std::pair<const char*, std::int64_t>>{{"0", 0},
                                                                     {"-0", 0},
                                                                     {"+7", 7},
                                                                     {"0000000000000000000000042", 42},
                                                                     {"9223372036854775807", INT64_MAX},
                                                                     {"-9223372036854775808", INT64_MIN}}) {
        EXPECT_EQ(parse_text(text, value), NumberStatus::ok) << text;
        EXPECT_EQ(value, expected);
    }
    for (const char* text : {"9223372036854775808", "-9223372036854775809", "99999999999999999999999"}) {
        EXPECT_EQ(parse_text(text, value), NumberStatus::overflow) << text;
    }
    for (const char* text : {"", "-", "+", "+-1", "-+1", "x"}) {
        EXPECT_EQ(parse_text(text, value), NumberStatus::not_a_number) << text;
    }
    EXPECT_EQ(parse_text("nan", value), NumberStatus::not_finite);
}

}  // namespace
}  // namespace stiefel
