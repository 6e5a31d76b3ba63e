#pragma once

#include "stiefel/io/matrix_market.hpp"

#include <span>
#include <string>

namespace stiefel {

struct ParsedHeader {
    MatrixMarketHeader header;
    bool is_hermitian = false;  ///< the banner's word for what header.symmetry calls symmetric
    std::size_t body = 0;       ///< where the first line after the size line starts in the text
    Size body_line = 1;         ///< and its number
};

/// Parses banner, comments and size line. Throws ParseError.
ParsedHeader parse_header(std::span<const char> text, const std::string& name);

/// Throws ParseError at the end of the text, whose last line is counted from line `number` at byte `begin`.
[[noreturn]] void fail_at_end(std::span<const char> text, const std::string& name, std::string_view message);

}  // namespace stiefel
