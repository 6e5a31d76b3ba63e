#include "stiefel/io/matrix_market_header.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace stiefel {

namespace {

constexpr std::string_view magic = "%%matrixmarket";

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Hands out the lines of a text one by one, each as a guarded copy, and parses fields of the current one.
class LineReader {
public:
    LineReader(std::span<const char> text, const std::string& name) : text_(text), name_(name) {}

    /// Goes on to the next line; false at the end of the text.
    bool next() {
        if (offset_ == text_.size()) return false;
        const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(offset_);
        const auto end = std::find(begin, text_.end(), '\n');
        line_.assign(begin, end);
        line_ += '\n';
        line_.append(text_guard, '\0');
        offset_ = static_cast<std::size_t>(end - text_.begin()) + (end != text_.end());
        ++number_;
        at_ = skip_blanks(line_.data());
        return true;
    }

    bool at_end_of_line() const { return *at_ == '\n'; }
    char front() const { return *at_; }
    const char* at() const { return at_; }
    std::size_t offset() const { return offset_; }
    Size number() const { return number_; }

    /// The text of a comment line, without the '%' and the blank that may follow it.
    std::string comment() const {
        std::string text(at_ + 1, line_.data() + line_.size() - text_guard - 1);
        if (text.starts_with(' ')) text.erase(0, 1);
        while (!text.empty() && is_blank(text.back())) text.pop_back();
        return text;
    }

    /// The next field, in lower case.
    std::string word() {
        std::string word = word_at(at_);
        at_ = skip_blanks(at_ + word.size());
        return word;
    }

    /// Whether the next field is this word, in any case.
    bool is_at(std::string_view word) const { return word_at(at_) == word; }

    /// The next field as a number from 0 to `most`.
    Size count(std::string_view what, Size most) {
        const char* const field = at_;
        std::int64_t value = 0;
        const NumberStatus status = parse_integer(at_, value);
        const bool is_whole = is_blank(*at_) || *at_ == '\n';
        if (status == NumberStatus::overflow || (status == NumberStatus::ok && is_whole && value > most)) {
            fail(field, fmt::format("{} {} exceeds the limit of {}", what, quoted_field(field), most));
        }
        if (status != NumberStatus::ok || !is_whole || value < 0) {
            fail(field, fmt::format("expected {}, found {}", what, quoted_field(field)));
        }
        at_ = skip_blanks(at_);
        return value;
    }

    void expect_end_of_line(std::string_view after) const {
        if (!at_end_of_line())
            fail(at_, fmt::format("expected the end of the line after {}, found {}", after, quoted_field(at_)));
    }

    [[noreturn]] void fail(const char* at, std::string_view message) const {
        throw ParseError(name_, number_, at - line_.data() + 1, message);
    }

private:
    static std::string word_at(const char* at) {
        std::string word;
        for (; !is_blank(*at) && *at != '\n'; ++at) word += lower(*at);
        return word;
    }

    std::span<const char> text_;
    const std::string& name_;
    std::string line_;
    const char* at_ = nullptr;
    std::size_t offset_ = 0;
    Size number_ = 0;
};

/// A word of the banner and what it means.
template <class Meaning>
struct Keyword {
    std::string_view word;
    Meaning meaning;
};

template <class Meaning>
Meaning parse_keyword(LineReader& lines, std::string_view what, std::initializer_list<Keyword<Meaning>> keywords) {
    const char* const field = lines.at();
    const std::string word = lines.word();
    std::string choice;
    for (const auto& keyword : keywords) {
        if (word == keyword.word) return keyword.meaning;
        choice += fmt::format("{}{}", choice.empty() ? "" : ", ", keyword.word);
    }
    lines.fail(field, fmt::format("expected the {} ({}), found {}", what, choice, quoted_field(field)));
}

/// Goes to the banner's line, past blank ones.
void find_banner(LineReader& lines, std::span<const char> text, const std::string& name) {
    // Looked for before any line is copied: a large file that is something else may have no lines.
    const auto is_space = [](char c) { return is_blank(c) || c == '\n'; };
    const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
    const bool has_banner = static_cast<std::size_t>(text.end() - begin) >= magic.size() &&
                            std::equal(magic.begin(), magic.end(), begin, [](char a, char b) { return a == lower(b); });
    if (begin == text.end()) fail_at_end(text, name, "the file is empty; expected '%%MatrixMarket matrix ...'");
    if (!has_banner) {
        const Size number = 1 + std::count(text.begin(), begin, '\n');
        const auto line_begin = std::find(std::make_reverse_iterator(begin), text.rend(), '\n').base();
        std::string found(begin, begin + std::min<std::ptrdiff_t>(text.end() - begin, 100));
        throw ParseError(
            name, number, begin - line_begin + 1,
            fmt::format("expected '%%MatrixMarket matrix ...', found {}", quoted_field((found + '\n').c_str())));
    }
    do lines.next();
    while (lines.at_end_of_line());
}

void parse_banner(LineReader& lines, ParsedHeader& parsed) {
    MatrixMarketHeader& header = parsed.header;
    const char* const banner = lines.at();
    if (lines.word() != magic)
        lines.fail(banner, fmt::format("expected '%%MatrixMarket', found {}", quoted_field(banner)));
    parse_keyword<bool>(lines, "object", {{"matrix", true}});
    header.format = parse_keyword<MatrixMarketFormat>(
        lines, "format", {{"coordinate", MatrixMarketFormat::coordinate}, {"array", MatrixMarketFormat::array}});

    const char* const field = lines.at();
    if (lines.is_at("complex")) {
        lines.fail(field, "complex matrices are not supported; expected the field real, integer or pattern");
    }
    header.field = parse_keyword<MatrixMarketField>(lines, "field",
                                                    {{"real", MatrixMarketField::real},
                                                     {"double", MatrixMarketField::real},
                                                     {"integer", MatrixMarketField::integer},
                                                     {"pattern", MatrixMarketField::pattern}});
    if (header.field == MatrixMarketField::pattern && header.format == MatrixMarketFormat::array) {
        lines.fail(field, "an array cannot have the field pattern; expected real or integer");
    }

    const char* const symmetry = lines.at();
    parsed.is_hermitian = lines.is_at("hermitian");
    header.symmetry = parse_keyword<Symmetry>(lines, "symmetry",
                                              {{"general", Symmetry::general},
                                               {"symmetric", Symmetry::symmetric},
                                               {"skew-symmetric", Symmetry::skew_symmetric},
                                               {"hermitian", Symmetry::symmetric}});
    if (header.field == MatrixMarketField::pattern && header.symmetry == Symmetry::skew_symmetric) {
        lines.fail(symmetry,
                   "a pattern cannot be skew-symmetric: its entries have no sign; expected general or symmetric");
    }
    lines.expect_end_of_line("the banner");
}

/// Entries that an array file lists: all, or the lower triangle with or without its diagonal.
Size array_entries(Size n_rows, Size n_cols, Symmetry symmetry) {
    switch (symmetry) {
        case Symmetry::general:
            return n_rows * n_cols;
        case Symmetry::symmetric:
            return n_rows * (n_rows + 1) / 2;
        case Symmetry::skew_symmetric:
            return n_rows * (n_rows - 1) / 2;
    }
    std::abort();
}

void parse_sizes(LineReader& lines, MatrixMarketHeader& header) {
    constexpr Size most_rows = std::numeric_limits<Index>::max();
    const char* const sizes = lines.at();
    header.n_rows = static_cast<Index>(lines.count("the number of rows", most_rows));
    header.n_cols = static_cast<Index>(lines.count("the number of columns", most_rows));
    if (header.format == MatrixMarketFormat::coordinate) {
        header.n_entries = lines.count("the number of entries", std::numeric_limits<Size>::max());
    } else {
        header.n_entries = array_entries(header.n_rows, header.n_cols, header.symmetry);
    }
    lines.expect_end_of_line("the sizes");
    if (header.symmetry != Symmetry::general && header.n_rows != header.n_cols) {
        lines.fail(sizes, fmt::format("expected as many rows as columns in a symmetric matrix, found {} x {}",
                                      header.n_rows, header.n_cols));
    }
}

}  // namespace

ParsedHeader parse_header(std::span<const char> text, const std::string& name) {
    ParsedHeader parsed;
    LineReader lines(text, name);
    find_banner(lines, text, name);
    parse_banner(lines, parsed);
    for (;;) {
        if (!lines.next()) {
            const bool is_array = parsed.header.format == MatrixMarketFormat::array;
            fail_at_end(text, name,
                        fmt::format("expected the sizes ({}), found the end of the file",
                                    is_array ? "rows columns" : "rows columns entries"));
        }
        if (lines.at_end_of_line()) continue;
        if (lines.front() != '%') break;
        parsed.header.comments.push_back(lines.comment());
    }
    parse_sizes(lines, parsed.header);
    parsed.body = lines.offset();
    parsed.body_line = lines.number() + 1;
    return parsed;
}

void fail_at_end(std::span<const char> text, const std::string& name, std::string_view message) {
    const auto line_begin = std::find(text.rbegin(), text.rend(), '\n').base();
    const Size number = 1 + std::count(text.begin(), text.end(), '\n');
    throw ParseError(name, number, text.end() - line_begin + 1, message);
}

}  // namespace stiefel
