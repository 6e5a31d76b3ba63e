#pragma once

#include "stiefel/core/types.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace stiefel {

/// Numbers are parsed from guarded text: the text holds a '\n' at or after the place where parsing starts, and
/// text_guard bytes behind that '\n' may be read. So no parser here checks for the end of the text: '\n' stops it, and
/// up to 64 bytes are loaded at a time wherever it stands.
inline constexpr Size text_guard = 64;

enum class NumberStatus { ok, not_a_number, not_finite, overflow };

/// Parses [+-]digits as a 64-bit integer. On ok, text moves past it.
NumberStatus parse_integer(const char*& text, std::int64_t& value);

/// Parses a real number in C or Fortran notation: [+-] digits [. digits] [(e|E|d|D) [+-] digits], with a digit before
/// or after the point, of any length. Correctly rounded to nearest even, float from the decimal itself; underflow gives
/// a subnormal or a zero of its sign. On ok, text moves past the number.
template <class T>
NumberStatus parse_real(const char*& text, T& value);

/// Most digits that a 64-bit significand holds whatever they are.
inline constexpr int exact_digits = 19;

namespace detail {

/// The bits of the significand, the last of them lowest; what stands above them is of no meaning.
inline std::uint64_t significand_bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}
inline std::uint64_t significand_bits(long double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

/// Rounds `wide`, a real number correctly rounded to Wide, to what that number is correctly rounded to T. False where
/// that cannot be told: rounding twice goes wrong only if the first result lies halfway between two neighbours in T.
template <class T, class Wide>
inline bool round_again(Wide wide, T& value) {
    if constexpr (!std::is_same_v<T, Wide>) {
        using Limits = std::numeric_limits<T>;
        constexpr std::uint64_t half = std::uint64_t{1} << (std::numeric_limits<Wide>::digits - Limits::digits - 1);
        const bool is_halfway = (significand_bits(wide) & (2 * half - 1)) == half;
        const Wide magnitude = wide < 0 ? -wide : wide;
        const bool is_normal = (magnitude >= Limits::min() && magnitude <= Limits::max()) || wide == 0;
        if (is_halfway || !is_normal) return false;
    }
    value = static_cast<T>(wide);
    return true;
}

/// The largest power of ten that Real holds exactly: 5^22 has 52 bits, 5^27 has 63.
template <class Real>
inline constexpr int exact_powers = std::numeric_limits<Real>::digits < 64 ? 22 : 27;

/// Powers of ten with either sign, all exact: [negative][exponent].
template <class Real>
inline constexpr auto power_of_ten = [] {
    std::array<std::array<Real, exact_powers<Real> + 1>, 2> powers{};
    for (std::size_t negative = 0; negative < 2; ++negative) {
        powers[negative][0] = negative ? -1 : 1;
        for (std::size_t i = 1; i < powers[0].size(); ++i) powers[negative][i] = 10 * powers[negative][i - 1];
    }
    return powers;
}();

/// significand 10^exponent in one operation on two exact numbers, whose result is therefore correctly rounded. The
/// power carries the sign: that takes no branch, for signs are as hard to predict as the matrix, and gives -0.
template <class Real>
inline Real scale(std::uint64_t significand, int exponent, bool negative) {
    const auto integer = static_cast<Real>(static_cast<std::int64_t>(significand));
    const Real power = power_of_ten<Real>[negative][static_cast<std::size_t>(std::abs(exponent))];
    return exponent < 0 ? integer / power : integer * power;
}

}  // namespace detail

/// +-significand 10^exponent correctly rounded to T, in one multiplication or division where both factors are exact
/// (Clinger 1990) in double, which 15 digits and exponents up to 22 are, or in the long double of x86, which nearly
/// all numbers of up to 18 digits and exponents up to 27 are. False elsewhere: then it takes parse_real.
template <class T>
inline bool scale_exactly(std::uint64_t significand, int exponent, bool negative, T& value) {
    if (significand <= std::uint64_t{1} << 53 && std::abs(exponent) <= detail::exact_powers<double>) [[likely]] {
        return detail::round_again(detail::scale<double>(significand, exponent, negative), value);
    }
    if constexpr (std::numeric_limits<long double>::digits == 64) {
        if (significand < std::uint64_t{1} << 63 && std::abs(exponent) <= detail::exact_powers<long double>) {
            return detail::round_again(detail::scale<long double>(significand, exponent, negative), value);
        }
    }
    return false;
}

}  // namespace stiefel
