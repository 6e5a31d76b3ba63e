#include "stiefel/io/field.hpp"

#include <fmt/format.h>

#include <string>

namespace stiefel {

namespace {

bool is_separator(char c) {
    return is_blank(c) || c == '\n';
}

template <class T, MatrixMarketField field>
[[noreturn]] void fail_value(NumberStatus status, const char* at) {
    constexpr bool is_integer = field == MatrixMarketField::integer;
    const std::string found = quoted_field(at);
    if (status == NumberStatus::not_finite)
        throw LineFault{at, fmt::format("expected a finite number, found {}", found)};
    if (status == NumberStatus::overflow) {
        const char* const limit = is_integer                    ? "a 64-bit integer"
                                  : sizeof(T) == sizeof(double) ? "double precision (largest: 1.8e308)"
                                                                : "single precision (largest: 3.4e38)";
        throw LineFault{at, fmt::format("the number {} overflows {}", found, limit)};
    }
    throw LineFault{at, fmt::format("expected {}, found {}", is_integer ? "an integer" : "a number", found)};
}

}  // namespace

Index parse_index(const char*& at, Index size, std::string_view what) {
    const char* const field = at;
    std::int64_t value = 0;
    const NumberStatus status = parse_integer(at, value);
    const bool is_integer = status == NumberStatus::ok && is_separator(*at);
    if (status == NumberStatus::overflow || (is_integer && value > size)) {
        throw LineFault{field, fmt::format("expected a {} index up to {}, the size of the matrix, found {}", what, size,
                                           quoted_field(field))};
    }
    if (!is_integer) throw LineFault{field, fmt::format("expected the {} index, found {}", what, quoted_field(field))};
    if (value < 1) {
        throw LineFault{field, fmt::format("expected a {} index from 1 up, found {}", what, quoted_field(field))};
    }
    at = skip_blanks(at);
    return static_cast<Index>(value - 1);
}

template <class T, MatrixMarketField field>
T parse_value(const char*& at, Size& n_rounded) {
    T value = 1;
    if constexpr (field == MatrixMarketField::pattern) return value;
    const char* const begin = at;
    NumberStatus status;
    if constexpr (field == MatrixMarketField::integer) {
        std::int64_t integer = 0;
        status = parse_integer(at, integer);
        value = static_cast<T>(integer);
        // Compared in long double, which holds every 64-bit integer: 2^63 - 1 rounds to a T beyond the integers.
        n_rounded += static_cast<long double>(value) != static_cast<long double>(integer);
    } else {
        status = parse_real(at, value);
    }
    if (status == NumberStatus::ok && !is_separator(*at)) status = NumberStatus::not_a_number;
    if (status != NumberStatus::ok) fail_value<T, field>(status, begin);
    at = skip_blanks(at);
    return value;
}

template double parse_value<double, MatrixMarketField::real>(const char*&, Size&);
template double parse_value<double, MatrixMarketField::integer>(const char*&, Size&);
template double parse_value<double, MatrixMarketField::pattern>(const char*&, Size&);
template float parse_value<float, MatrixMarketField::real>(const char*&, Size&);
template float parse_value<float, MatrixMarketField::integer>(const char*&, Size&);
template float parse_value<float, MatrixMarketField::pattern>(const char*&, Size&);

}  // namespace stiefel
