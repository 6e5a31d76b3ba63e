#pragma once

#include "stiefel/io/mapping.hpp"
#include "stiefel/io/wanted.hpp"

#include <span>
#include <string>
#include <string_view>

namespace stiefel {

bool is_gzip(std::string_view bytes);

/// All members of a gzip file, unpacked. Grows as the data asks for, never on the word of the file alone.
/// Throws ParseError where the data is damaged, or the text is not one that is read or goes on far beyond what its
/// header can need (StreamLimit: so a small file cannot fill the memory); OutOfMemory.
Mapping gunzip(std::span<const char> compressed, const std::string& name, Wanted wanted);

/// The first 32 KiB, at least, of what gzip data unpacks to, or as much as its complete members do if `compressed`
/// ends before.
std::string gunzip_beginning(std::span<const char> compressed);

}  // namespace stiefel
