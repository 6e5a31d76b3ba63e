#pragma once

#include <string>

namespace stiefel {

/// What separates fields. A carriage return counts as a blank, which makes CRLF an end of line like LF.
inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

inline char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline const char* skip_blanks(const char* text) {
    while (is_blank(*text)) ++text;
    return text;
}

/// For messages: the field that starts at `at`, quoted, shortened and with unprintable bytes escaped; "the end of the
/// line" where there is none. The text must hold a '\n' at or after `at`.
std::string quoted_field(const char* at);

/// What is wrong in a line, and where. Thrown by what parses lines, to be made a ParseError by those who know the
/// file's name and count its lines: parsers of single lines need not know either.
struct LineFault {
    const char* at;
    std::string message;
};

}  // namespace stiefel
