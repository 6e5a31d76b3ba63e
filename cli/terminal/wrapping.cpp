#include "stiefel/cli/terminal/wrapping.hpp"

#include <algorithm>

namespace stiefel::cli {

namespace {

/// The last line of a page, to which words are added until they no longer fit.
class WrappedLine {
public:
    WrappedLine(std::string& page, std::size_t column, std::size_t width)
        : page_(page), column_(column), width_(width), at_(column) {}

    void add(std::string_view word) {
        if (at_ > column_ && at_ + 1 + word.size() > width_) {
            page_ += '\n' + std::string(column_, ' ');
            at_ = column_;
        } else if (at_ > column_) {
            page_ += ' ';
            ++at_;
        }
        page_ += word;
        at_ += word.size();
    }

private:
    std::string& page_;
    std::size_t column_;
    std::size_t width_;
    std::size_t at_;
};

void add_words(WrappedLine& line, std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        line.add(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

}  // namespace

std::size_t page_width(int terminal_columns) {
    return static_cast<std::size_t>(std::clamp(terminal_columns, 32, 100));
}

void append_wrapped(std::string& page, std::string_view text, std::size_t column, std::size_t width) {
    WrappedLine line(page, column, width);
    add_words(line, text);
    page += '\n';
}

void append_list(std::string& page, std::span<const std::string> items, std::size_t column, std::size_t width) {
    WrappedLine line(page, column, width);
    for (const std::string& item : items) {
        const std::string word = &item == &items.back() ? item : item + ",";
        if (column + word.size() <= width) {
            line.add(word);
        } else {
            add_words(line, word);
        }
    }
    page += '\n';
}

std::string shortened(std::string_view text, std::size_t width) {
    constexpr std::string_view dots = "...";
    if (text.size() <= width) return std::string(text);
    const std::size_t first = std::min(text.find(' '), text.size() - 1) + 1;  // with its blank
    if (first + dots.size() >= width) return std::string(text.substr(0, width));
    const std::size_t kept = width - first - dots.size();
    return std::string(text.substr(0, first)).append(dots).append(text.substr(text.size() - kept));
}

}  // namespace stiefel::cli
