#pragma once

#include "stiefel/io/decimal.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/text.hpp"
#include "stiefel/io/usual_line.hpp"

#include <string_view>

namespace stiefel {

/// Parses an index from 1 to size and the blanks behind it; zero-based. `what` is "row" or "column". Throws LineFault.
Index parse_index(const char*& at, Index size, std::string_view what);

/// Parses the value of an entry and the blanks behind it; 1 in a pattern, where there is none. Adds to n_rounded if it
/// is an integer that T cannot hold. Throws LineFault.
template <class T, MatrixMarketField field>
T parse_value(const char*& at, Size& n_rounded);

/// The same for the last field of a usual line; declines what T does not hold exactly, as the line's parsers do.
template <MatrixMarketField field, class T>
[[gnu::always_inline]] inline bool parse_usual_value(UsualLine& line, T& value) {
    if constexpr (field == MatrixMarketField::integer) {
        return line.parse_integer(value);
    } else {
        return line.parse_real(value);
    }
}

}  // namespace stiefel
