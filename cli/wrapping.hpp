#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// Appends text to a page whose last line is `column` wide, broken at blanks into lines of at most `width` columns, of
/// which all after the first start at `column`; ends with a line feed.
void append_wrapped(std::string& page, std::string_view text, std::size_t column, std::size_t width);

}  // namespace stiefel::cli
