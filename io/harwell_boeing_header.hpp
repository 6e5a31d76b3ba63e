#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/io/fortran_format.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stiefel {

/// The four or five lines before the numbers of a Harwell-Boeing (Duff, Grimes and Lewis 1989) or Rutherford-Boeing
/// (1997) file. The numbers are those of compressed columns, on lines of fixed fields ("cards").
struct HarwellBoeingHeader {
    MatrixMarketHeader matrix;  ///< the same facts; the title is its only comment
    FortranFormat pointers;
    FortranFormat indices;
    FortranFormat values;  ///< no fields in a pattern
    Size n_cards = 0;      ///< lines of numbers, as announced
    bool has_rhs = false;
    std::size_t body = 0;  ///< where the first card starts in the text
    Size body_line = 1;    ///< and its number
};

/// Whether the third line is one of theirs. Nothing if the text does not reach so far (never if is_all of it is there).
std::optional<bool> looks_like_harwell_boeing(std::string_view beginning, bool is_all);

/// Nothing if the header goes on behind the beginning (never if is_all is there). Throws ParseError, also for what is
/// not read: complex, unassembled (finite elements), and auxiliary data.
std::optional<HarwellBoeingHeader> parse_harwell_boeing_header(std::string_view beginning, bool is_all,
                                                               const std::string& name);

}  // namespace stiefel
