#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// The width to wrap a page at on a terminal of so many columns: neither so narrow that no line holds a few words, nor
/// so wide that lines are hard to follow.
std::size_t page_width(int terminal_columns);

/// Appends text to a page whose last line is `column` wide, broken at blanks into lines of at most `width` columns, of
/// which all after the first start at `column`; ends with a line feed. A word is never broken.
void append_wrapped(std::string& page, std::string_view text, std::size_t column, std::size_t width);

/// The same for items, with commas between them and broken only there: "read 12.3 ms, solve 4.56 s". An item that is
/// wider than a line is broken at its blanks.
void append_list(std::string& page, std::span<const std::string> items, std::size_t column, std::size_t width);

/// A text in at most `width` columns: where it is longer, the beginning of what follows its first word gives way to
/// dots, so that of "reading a/long/path/A.mtx" the end of the path is still seen.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace stiefel::cli
