#include "stiefel/io/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace stiefel {

namespace {

constexpr Size exponent_limit = 1'000'000'000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Power of ten of the first digit that is not zero, for a number in the notation of std::from_chars.
Size leading_power(std::string_view number) {
    const std::size_t e = std::min(number.find('e'), number.size());
    const std::string_view significand = number.substr(0, e);
    const Size point = static_cast<Size>(std::min(significand.find('.'), significand.size()));
    const auto first = static_cast<Size>(significand.find_first_of("123456789"));
    Size exponent = 0;
    if (e < number.size()) {
        const char* digits = number.data() + e + 1;
        detail::parse_exponent(digits, exponent);
    }
    return exponent + (first < point ? point - 1 - first : point - first);
}

}  // namespace

NumberStatus parse_integer(const char*& text, std::int64_t& value) {
    const char* begin = text + (*text == '+');
    const char* end = begin + (*begin == '-' && begin == text);
    while (is_digit(*end)) ++end;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) return NumberStatus::overflow;
    if (error != std::errc{}) return detail::classify_non_number(text);
    text = end;
    return NumberStatus::ok;
}

namespace detail {

bool parse_exponent(const char*& text, Size& exponent) {
    const bool negative = *text == '-';
    text += negative || *text == '+';
    const char* const digits = text;
    Size magnitude = 0;
    for (; is_digit(*text); ++text) magnitude = std::min(10 * magnitude + (*text - '0'), exponent_limit);
    exponent += negative ? -magnitude : magnitude;
    return text != digits;
}

NumberStatus classify_non_number(const char* text) {
    text += *text == '-' || *text == '+';
    std::string word;
    for (; word.size() < 9 && ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z'); ++text) {
        word += static_cast<char>(*text | 0x20);
    }
    return word == "nan" || word == "inf" || word == "infinity" ? NumberStatus::not_finite : NumberStatus::not_a_number;
}

template <class T>
NumberStatus parse_real_of_any_length(const char* begin, const char* end, T& value) {
    begin += *begin == '+';
    // std::from_chars knows neither Fortran's letters nor capitals' meaning to leading_power: one spelling for both.
    std::string number(begin, end);
    for (char& c : number) {
        if (c == 'E' || c == 'd' || c == 'D') c = 'e';
    }
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range) {
        if (leading_power(number) > 0) return NumberStatus::overflow;
        value = number.front() == '-' ? -T{0} : T{0};
    }
    return std::isinf(value) ? NumberStatus::overflow : NumberStatus::ok;
}

template NumberStatus parse_real_of_any_length(const char*, const char*, double&);
template NumberStatus parse_real_of_any_length(const char*, const char*, float&);

}  // namespace detail

}  // namespace stiefel
