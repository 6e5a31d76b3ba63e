#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <string>
#include <string_view>

namespace stiefel {

/// What separates fields. A carriage return counts as a blank, which makes CRLF an end of line like LF.
inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

inline const char* skip_blanks(const char* text) {
    while (is_blank(*text)) ++text;
    return text;
}

/// For messages: the field that starts at `at`, quoted, shortened and with unprintable bytes escaped; "the end of the
/// line" where there is none. The text must hold a '\n' at or after `at`.
std::string quoted_field(const char* at);

/// Names a place in a text for the errors found there.
struct TextLine {
    const std::string& file;
    Size number;        ///< from 1
    const char* begin;  ///< first byte of the line

    [[noreturn]] void fail(const char* at, std::string_view message) const {
        throw ParseError(file, number, at - begin + 1, message);
    }
};

}  // namespace stiefel
