#pragma once

#include "stiefel/core/types.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace stiefel {

/// How Fortran lays numbers out on a line, from a format such as (26I3), (1P,5E16.8) or (3(1X,D23.16)): fields of fixed
/// widths, with or without blanks between them.
struct FortranFormat {
    struct Field {
        std::size_t begin = 0;
        std::size_t width = 0;
    };
    std::vector<Field> fields;  ///< of one line
    bool is_integer = false;    ///< I; otherwise E, D, F or G
    int decimals = 0;           ///< digits behind the point, where a number has none
    int scale = 0;              ///< nP: a number without exponent is divided by 10^n

    /// Lines that so many numbers take.
    Size lines_for(Size n) const {
        const auto per_line = static_cast<Size>(fields.size());
        return (n + per_line - 1) / per_line;
    }
};

/// Parses a format with its parentheses. Nothing if it is not understood, or has no field.
std::optional<FortranFormat> parse_fortran_format(std::string_view text);

}  // namespace stiefel
