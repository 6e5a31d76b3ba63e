#include "stiefel/cli/wrapping.hpp"

#include <algorithm>

namespace stiefel::cli {

void append_wrapped(std::string& page, std::string_view text, std::size_t column, std::size_t width) {
    std::size_t at = column;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        if (at > column && at + 1 + word.size() > width) {
            page += '\n' + std::string(column, ' ');
            at = column;
        } else if (at > column) {
            page += ' ';
            ++at;
        }
        page += word;
        at += word.size();
        begin = end + 1;
    }
    page += '\n';
}

}  // namespace stiefel::cli
