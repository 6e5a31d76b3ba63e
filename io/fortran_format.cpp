#include "stiefel/io/fortran_format.hpp"

#include "stiefel/io/text.hpp"

namespace stiefel {

namespace {

class FormatParser {
public:
    explicit FormatParser(std::string_view text) : text_(text) {}

    std::optional<FortranFormat> parse() {
        if (!take('(') || !list(0) || !take(')') || peek() != '\0' || format_.fields.empty()) return {};
        return std::move(format_);
    }

private:
    static constexpr int longest_line = 1024, deepest_group = 4;

    char peek() {
        while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ',')) ++at_;
        return at_ < text_.size() ? lower(text_[at_]) : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    /// The number at hand; -1 if there is none, or one that no line of ours needs.
    int number() {
        if (peek() < '0' || peek() > '9') return -1;
        int value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            if (value > longest_line) return -1;
            value = 10 * value + (text_[at_] - '0');
        }
        return value;
    }

    /// Descriptors up to a ')'.
    bool list(int depth) {
        while (peek() != ')') {
            if (!item(depth)) return false;
        }
        return true;
    }

    bool item(int depth) {
        const bool negative = take('-');
        const int count = number();
        if (take('p')) {
            format_.scale = negative ? -count : count;
            return count >= 0;
        }
        if (negative || count == 0) return false;
        const int repeat = count < 0 ? 1 : count;
        if (take('x')) {
            column_ += static_cast<std::size_t>(repeat);
            return true;
        }
        if (peek() == '(') return depth < deepest_group && group(repeat, depth);
        return field(repeat);
    }

    bool group(int repeat, int depth) {
        const std::size_t begin = at_;
        for (int i = 0; i < repeat; ++i) {
            at_ = begin;
            if (!take('(') || !list(depth + 1) || !take(')') || column_ > longest_line) return false;
        }
        return true;
    }

    bool field(int repeat) {
        const char kind = peek();
        if (kind != 'i' && kind != 'e' && kind != 'd' && kind != 'f' && kind != 'g') return false;
        ++at_;
        if (!format_.fields.empty() && format_.is_integer != (kind == 'i')) return false;
        format_.is_integer = kind == 'i';
        const int width = number();
        if (width <= 0) return false;
        if (take('.')) {
            format_.decimals = number();
            if (format_.decimals < 0) return false;
        }
        if (take('e') && number() < 0) return false;  // E26.18E3: digits of the exponent
        for (int i = 0; i < repeat; ++i) {
            format_.fields.push_back({column_, static_cast<std::size_t>(width)});
            column_ += static_cast<std::size_t>(width);
            if (column_ > longest_line) return false;
        }
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t column_ = 0;
    FortranFormat format_;
};

}  // namespace

std::optional<FortranFormat> parse_fortran_format(std::string_view text) {
    return FormatParser(text).parse();
}

}  // namespace stiefel
