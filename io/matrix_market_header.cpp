#include "stiefel/io/matrix_market_header.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"
#include "stiefel/io/foreign_formats.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace stiefel {

namespace {

constexpr std::string_view banner_start = "%%matrixmarket";

/// Hands out the lines of a text one by one, each as a guarded copy, and parses fields of the current one.
class LineReader {
public:
    LineReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    /// Goes on to the next line; false at the end of the text.
    bool next() {
        if (offset_ == text_.size()) return false;
        const std::size_t end = std::min(text_.find('\n', offset_), text_.size());
        line_ = text_.substr(offset_, end - offset_);
        line_ += '\n';
        line_.append(text_guard, '\0');
        offset_ = std::min(end + 1, text_.size());
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

    std::string_view text_;
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

/// Throws ParseError at the end of a text that is all there.
[[noreturn]] void fail_at_end_of(std::string_view text, const std::string& name, std::string_view message) {
    const Size number = 1 + std::count(text.begin(), text.end(), '\n');
    const std::size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0
    throw ParseError(name, number, static_cast<Size>(text.size() - line_begin) + 1, message);
}

[[noreturn]] void fail_without_banner(std::string_view text, std::size_t begin, const std::string& name) {
    refuse_separated_values(text.substr(begin), name);
    const Size number = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    const std::size_t line_begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
    const std::string found = std::string(text.substr(begin, 100)) + '\n';
    throw ParseError(name, number, static_cast<Size>(begin - line_begin) + 1,
                     fmt::format("expected '%%MatrixMarket matrix ...', found {}", quoted_field(found.c_str())));
}

/// Goes to the banner's line, past blank ones; false if it does not end in the beginning of the text.
bool find_banner(LineReader& lines, std::string_view text, bool is_all, const std::string& name) {
    // Looked for before any line is copied: a large file that is something else may have no lines.
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) {
        if (is_all) fail_at_end_of(text, name, "the file is empty; expected '%%MatrixMarket matrix ...'");
        return false;
    }
    if (text.size() - begin < banner_start.size() && !is_all) return false;
    const std::string_view found = text.substr(begin, banner_start.size());
    const auto equal = [](char a, char b) { return a == lower(b); };
    if (!std::equal(banner_start.begin(), banner_start.end(), found.begin(), found.end(), equal)) {
        fail_without_banner(text, begin, name);
    }
    if (!is_all && text.find('\n', begin) == text.npos) return false;
    do lines.next();
    while (lines.at_end_of_line());
    return true;
}

void parse_banner(LineReader& lines, ParsedHeader& parsed) {
    MatrixMarketHeader& header = parsed.header;
    const char* const banner = lines.at();
    if (lines.word() != banner_start)
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

std::optional<ParsedHeader> parse_header(std::string_view beginning, bool is_all, const std::string& name) {
    ParsedHeader parsed;
    const std::string_view whole_lines = is_all ? beginning : beginning.substr(0, beginning.rfind('\n') + 1);
    LineReader lines(whole_lines, name);
    if (!find_banner(lines, beginning, is_all, name)) return {};
    parse_banner(lines, parsed);
    for (;;) {
        if (!lines.next()) {
            if (!is_all) return {};
            const bool is_array = parsed.header.format == MatrixMarketFormat::array;
            fail_at_end_of(beginning, name,
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

ParsedHeader parse_header(const InputText& input) {
    for (std::size_t bytes = 1 << 14;; bytes *= 8) {
        const std::string beginning = input.beginning(bytes);
        if (auto parsed = parse_header(beginning, beginning.size() == input.size(), input.name())) return *parsed;
    }
}

void fail_at_end(const InputText& input, std::string_view message) {
    constexpr std::size_t piece = 1 << 20;
    std::string text;
    Size number = 1;
    std::size_t line_begin = 0;
    for (std::size_t at = 0; at < input.size(); at += text.size()) {
        text.resize(std::min(piece, input.size() - at));
        input.copy(at, text);
        number += std::count(text.begin(), text.end(), '\n');
        if (const std::size_t last = text.rfind('\n'); last != text.npos) line_begin = at + last + 1;
    }
    throw ParseError(input.name(), number, static_cast<Size>(input.size() - line_begin) + 1, message);
}

}  // namespace stiefel
