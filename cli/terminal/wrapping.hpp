#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// Appends text to a page whose last line is `column` wide, broken at blanks into lines of at most `width` columns, of
/// which all after the first start at `column`; ends with a line feed.
void append_wrapped(std::string& page, std::string_view text, std::size_t column, std::size_t width);

/// The same for items, with commas between them and broken only there: "read 12.3 ms, solve 4.56 s".
void append_list(std::string& page, std::span<const std::string> items, std::size_t column, std::size_t width);

}  // namespace stiefel::cli
