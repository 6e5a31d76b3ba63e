#pragma once

#include "stiefel/core/types.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace stiefel {

/// Numbers are parsed from guarded text: the text holds a '\n' at or after the place where parsing starts, and
/// text_guard bytes beyond that '\n' may be read. So no parser here checks for the end of the text: '\n' stops it, and
/// eight bytes are loaded at a time wherever it stands.
inline constexpr Size text_guard = 16;

enum class NumberStatus { ok, not_a_number, not_finite, overflow };

struct LeadingDigits {
    std::uint64_t value = 0;
    int count = 0;  ///< 0 to 8
};

/// The decimal digits, at most eight, that text starts with; no branch depends on how many there are, except on none.
inline LeadingDigits leading_digits(const char* text) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    // A digit becomes 0 to 9. Whatever else becomes more, and the addition or the byte itself shows it in bit 7. (A
    // carry out of a byte spoils only later bytes, and the first byte that is no digit is the one looked for.)
    const std::uint64_t digits = bytes ^ 0x3030303030303030u;
    const std::uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
    if (others & 0x80) return {};
    const int count = std::countr_zero(others) / 8;  // 8 if all are digits: countr_zero(0) is 64
    // Shifted so that the last digit lies in the top byte and zeros lead, then added up in pairs, quads and eights.
    std::uint64_t sum = digits << (64 - 8 * count);
    sum = (sum & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
    sum = (sum & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    sum = (sum & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
    return {sum, count};
}

/// Appends the digits that text starts with to value (modulo 2^64) and returns where they end.
inline const char* append_digits(const char* text, std::uint64_t& value) {
    static constexpr std::uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (;;) {
        const LeadingDigits digits = leading_digits(text);
        value = value * power[digits.count] + digits.value;
        text += digits.count;
        if (digits.count < 8) return text;
    }
}

/// Most digits of which append_digits cannot lose any.
inline constexpr Size exact_digits = 19;

/// Parses [+-]digits as a 64-bit integer. On ok, text moves past it.
NumberStatus parse_integer(const char*& text, std::int64_t& value);

namespace detail {

/// The real number in [begin, end), whose syntax has been checked; correctly rounded, of any length.
template <class T>
NumberStatus parse_real_of_any_length(const char* begin, const char* end, T& value);

/// Says what it is that is not a number: not_finite for nan and inf in their spellings, else not_a_number.
NumberStatus classify_non_number(const char* text);

/// Parses digits after an exponent's letter; saturates far beyond what any format holds. False if there is no digit.
bool parse_exponent(const char*& text, Size& exponent);

/// Rounds a double that is a decimal correctly rounded to T, where that is the decimal correctly rounded; false where
/// it may not be. Rounding twice goes wrong only if the first result is a midpoint of two neighbours in T.
inline bool round_to(double wide, double& value) {
    value = wide;
    return true;
}
inline bool round_to(double wide, float& value) {
    const double magnitude = std::fabs(wide);
    const bool normal = (magnitude >= std::numeric_limits<float>::min() || magnitude == 0) &&
                        magnitude <= std::numeric_limits<float>::max();
    constexpr std::uint64_t dropped = (std::uint64_t{1} << 29) - 1;
    constexpr std::uint64_t midpoint = std::uint64_t{1} << 28;
    if (!normal || (std::bit_cast<std::uint64_t>(wide) & dropped) == midpoint) return false;
    value = static_cast<float>(wide);
    return true;
}

}  // namespace detail

/// Parses a real number in C or Fortran notation: [+-] digits [. digits] [(e|E|d|D) [+-] digits], with a digit before
/// or after the point. Correctly rounded to nearest even, float from the decimal itself; underflow gives a subnormal or
/// a zero of its sign. On ok, text moves past the number.
/// Numbers of up to 19 digits whose digits fit in 53 bits and whose power of ten is at most 22 need one multiplication
/// or division of two exact doubles (Clinger 1990); others take std::from_chars.
template <class T>
inline NumberStatus parse_real(const char*& text, T& value) {
    static constexpr double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* at = text;
    const bool negative = *at == '-';
    at += negative || *at == '+';
    std::uint64_t significand = 0;
    const char* const digits = at;
    at = append_digits(at, significand);
    Size n_digits = at - digits;
    Size exponent = 0;
    if (*at == '.') {
        const char* const fraction = ++at;
        at = append_digits(at, significand);
        exponent = fraction - at;
        n_digits -= exponent;
    }
    if (n_digits == 0) [[unlikely]]
        return detail::classify_non_number(text);
    const int letter = *at | 0x20;
    if (letter == 'e' || letter == 'd') {
        ++at;
        if (!detail::parse_exponent(at, exponent)) return NumberStatus::not_a_number;
    }
    const bool exact = n_digits <= exact_digits && significand <= (std::uint64_t{1} << 53);
    if (exact && exponent >= -22 && exponent <= 22) [[likely]] {
        const auto integer = static_cast<double>(significand);
        const double wide = exponent < 0 ? integer / power[-exponent] : integer * power[exponent];
        if (detail::round_to(negative ? -wide : wide, value)) [[likely]] {
            text = at;
            return NumberStatus::ok;
        }
    }
    const NumberStatus status = detail::parse_real_of_any_length(text, at, value);
    if (status == NumberStatus::ok) text = at;
    return status;
}

}  // namespace stiefel
