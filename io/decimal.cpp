#include "stiefel/io/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace stiefel {

namespace {

/// Far beyond any exponent that a number of a length that exists could bring back into the range of T.
constexpr Size exponent_limit = Size{1} << 58;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

const char* skip_digits(const char* text) {
    while (is_digit(*text)) ++text;
    return text;
}

/// The parts of a number that has been found to be one.
struct RealSyntax {
    const char* digits = nullptr;  ///< behind the sign
    const char* point = nullptr;   ///< the '.', or where it would stand
    const char* end_of_digits = nullptr;
    const char* end = nullptr;
    Size exponent = 0;

    bool has_point() const { return point != end_of_digits && *point == '.'; }
    Size n_digits() const { return end_of_digits - digits - has_point(); }
    Size n_decimals() const { return has_point() ? end_of_digits - point - 1 : 0; }
};

/// False if the text does not start with a number.
bool scan_real(const char* text, RealSyntax& real) {
    real.digits = text + (*text == '-' || *text == '+');
    real.point = skip_digits(real.digits);
    real.end_of_digits = *real.point == '.' ? skip_digits(real.point + 1) : real.point;
    real.end = real.end_of_digits;
    if (real.n_digits() == 0) return false;
    const int letter = *real.end | 0x20;
    if (letter != 'e' && letter != 'd') return true;
    const char* const sign = real.end + 1;
    const char* const exponent = sign + (*sign == '-' || *sign == '+');
    real.end = skip_digits(exponent);
    for (const char* at = exponent; at != real.end; ++at) {
        real.exponent = std::min(10 * real.exponent + (*at - '0'), exponent_limit);
    }
    if (*sign == '-') real.exponent = -real.exponent;
    return real.end != exponent;
}

/// The digits as one integer; right for up to exact_digits of them.
std::uint64_t significand_of(const RealSyntax& real) {
    std::uint64_t significand = 0;
    for (const char* at = real.digits; at != real.end_of_digits; ++at) {
        if (*at != '.') significand = 10 * significand + static_cast<std::uint64_t>(*at - '0');
    }
    return significand;
}

/// The power of ten of the first digit that is not zero.
Size leading_power(const RealSyntax& real) {
    const char* const first =
        std::find_if(real.digits, real.end_of_digits, [](char c) { return c >= '1' && c <= '9'; });
    return real.exponent + (first < real.point ? real.point - 1 - first : real.point - first);
}

template <class T>
NumberStatus round_any_length(const char* text, const RealSyntax& real, T& value) {
    // std::from_chars does not know Fortran's exponents, nor a sign '+'.
    std::string number(text + (*text == '+'), real.end);
    for (char& c : number) {
        if (c == 'd' || c == 'D') c = 'e';
    }
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range) {
        if (leading_power(real) > 0) return NumberStatus::overflow;
        value = *text == '-' ? -T{0} : T{0};
    }
    return std::isinf(value) ? NumberStatus::overflow : NumberStatus::ok;
}

/// Says what it is that is not a number: not_finite for nan and inf in their spellings.
NumberStatus classify_non_number(const char* text) {
    text += *text == '-' || *text == '+';
    std::string word;
    for (; word.size() < 9 && ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z'); ++text) {
        word += static_cast<char>(*text | 0x20);
    }
    return word == "nan" || word == "inf" || word == "infinity" ? NumberStatus::not_finite : NumberStatus::not_a_number;
}

}  // namespace

NumberStatus parse_integer(const char*& text, std::int64_t& value) {
    const char* const begin = text + (*text == '+');
    const char* const end = skip_digits(text + (*text == '-' || *text == '+'));
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) return NumberStatus::overflow;
    if (error != std::errc{}) return classify_non_number(text);
    text = end;
    return NumberStatus::ok;
}

template <class T>
NumberStatus parse_real(const char*& text, T& value) {
    RealSyntax real;
    if (!scan_real(text, real)) return classify_non_number(text);
    const Size exponent = real.exponent - real.n_decimals();
    const bool is_short = real.n_digits() <= exact_digits && std::abs(exponent) < 100;
    NumberStatus status = NumberStatus::ok;
    if (!is_short || !scale_exactly(significand_of(real), static_cast<int>(exponent), *text == '-', value)) {
        status = round_any_length(text, real, value);
    }
    if (status == NumberStatus::ok) text = real.end;
    return status;
}

template NumberStatus parse_real(const char*&, double&);
template NumberStatus parse_real(const char*&, float&);

}  // namespace stiefel
