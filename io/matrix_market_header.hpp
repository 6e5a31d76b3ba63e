#pragma once

#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stiefel {

struct ParsedHeader {
    MatrixMarketHeader header;
    bool is_hermitian = false;  ///< the banner's word for what header.symmetry calls symmetric
    std::size_t body = 0;       ///< where the first line after the size line starts in the text
    Size body_line = 1;         ///< and its number
};

/// Parses banner, comments and size line from the beginning of a text; nothing if they go on behind it (never if is_all
/// of the text is there). Throws ParseError.
std::optional<ParsedHeader> parse_header(std::string_view beginning, bool is_all, const std::string& name);

/// The same from an input, of which as much is read as it takes.
ParsedHeader parse_header(const InputText& input);

/// Throws ParseError at the end of a text.
[[noreturn]] void fail_at_end(const InputText& input, std::string_view message);

}  // namespace stiefel
