#include "stiefel/io/text.hpp"

#include <fmt/format.h>

namespace stiefel {

std::string quoted_field(const char* at) {
    constexpr int longest = 40;
    at = skip_blanks(at);
    if (*at == '\n') return "the end of the line";
    std::string text = "'";
    int length = 0;
    for (; !is_blank(*at) && *at != '\n' && length < longest; ++at, ++length) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte >= 0x20 && byte < 0x7f) {
            text += *at;
        } else {
            text += fmt::format("\\x{:02x}", byte);
        }
    }
    if (length == longest) text += "...";
    return text + "'";
}

}  // namespace stiefel
