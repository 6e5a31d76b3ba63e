#pragma once

#include "stiefel/io/input.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stiefel {

/// The formats that are read; each has a parser of its own.
enum class TextKind { matrix_market, harwell_boeing, triplets, numpy };

/// What a text is, told from its beginning alone. Text that is none of them counts as matrix_market, whose parser says
/// what it expected. Nothing if more of it is needed to tell (never if is_all of it is there).
std::optional<TextKind> kind_of(std::string_view beginning, bool is_all);

/// The same for an input, of which as much is read as it takes.
TextKind kind_of(const InputText& input);

/// Whether a file that can be read from anywhere begins as Matrix Market text does, uncompressed. Throws FileError
/// where it cannot be opened; ParseError for a directory.
bool begins_as_plain_matrix_market(const std::string& path);

/// Whether a line is a banner of Matrix Market, or was meant to be one: a '%' is missing, say.
bool mentions_matrix_market(std::string_view line);

}  // namespace stiefel
