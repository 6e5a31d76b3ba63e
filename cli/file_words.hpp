#pragma once

#include "stiefel/io/matrix_market.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

// What there is to say of an input file, in the same words everywhere.

/// "general", "symmetric", "skew-symmetric"
std::string_view word_of(Symmetry symmetry);

/// "real", "integer", "pattern"
std::string_view word_of(MatrixMarketField field);

/// The text with blanks for the ends of lines, which file names may hold and comments may not.
std::string one_line(std::string text);

/// The reader's notes with the file's name before each.
std::vector<std::string> noted(const std::string& path, const std::vector<std::string>& notes);

/// Appends a note if there are any.
void note_duplicates(const std::string& path, Size n_duplicates, std::vector<std::string>& notes);

/// "stiefel: note: ..." on standard error, a line each.
void print_notes(const std::vector<std::string>& notes);

}  // namespace stiefel::cli
