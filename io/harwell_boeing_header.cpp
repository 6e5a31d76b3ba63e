#include "stiefel/io/harwell_boeing_header.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace stiefel {

namespace {

/// The line at `offset`, without its end, and moves there; nothing if it does not end in the text.
std::optional<std::string_view> take_line(std::string_view text, bool is_all, std::size_t& offset) {
    const std::size_t end = text.find('\n', offset);
    if (end == text.npos && (!is_all || offset >= text.size())) return {};
    std::string_view line = text.substr(offset, end - offset);
    offset = end == text.npos ? text.size() : end + 1;
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
}

bool is_one_of(char c, std::string_view set) {
    return set.find(lower(c)) != set.npos;
}

/// Three letters for field, structure and storage, a blank behind them, and sizes.
bool is_type_line(std::string_view line) {
    return line.size() > 4 && is_one_of(line[0], "rcpiq") && is_one_of(line[1], "suhzr") && is_one_of(line[2], "ae") &&
           is_blank(line[3]) && line.find_first_not_of(" \t0123456789", 3) == line.npos;
}

class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    HarwellBoeingHeader parse(const std::array<std::string_view, 4>& lines) {
        for (std::size_t i = 0; i < 4; ++i) line_begin_[i] = static_cast<std::size_t>(lines[i].data() - text_.data());
        if (!lines[0].empty()) header_.matrix.comments.emplace_back(lines[0]);
        parse_cards(lines[1]);
        parse_type(lines[2]);
        parse_formats(lines[3]);
        return std::move(header_);
    }

private:
    [[noreturn]] void fail(std::size_t line, std::string_view at, std::string_view message) const {
        const auto column = static_cast<Size>(at.data() - text_.data()) - static_cast<Size>(line_begin_[line]) + 1;
        throw ParseError(name_, static_cast<Size>(line) + 1, column, message);
    }

    /// Takes the next number of a line.
    Size count(std::size_t line, std::string_view& rest, std::string_view what, Size most) const {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        Size value = -1;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        const bool is_whole = end == rest.data() + rest.size() || is_blank(*end);
        if (error != std::errc{} || !is_whole || value < 0 || value > most) {
            const std::string found = std::string(rest) + '\n';
            fail(line, rest, fmt::format("expected {} (up to {}), found {}", what, most, quoted_field(found.c_str())));
        }
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return value;
    }

    static bool has_more(std::string_view rest) { return rest.find_first_not_of(" \t") != rest.npos; }

    void parse_cards(std::string_view line) {
        constexpr Size most = std::numeric_limits<std::int32_t>::max();
        header_.n_cards = count(1, line, "the number of lines of numbers", most);
        for (const char* what : {"the lines of pointers", "the lines of indices", "the lines of values"}) {
            count(1, line, what, most);
        }
        if (has_more(line)) header_.has_rhs = count(1, line, "the lines of right-hand sides", most) > 0;
    }

    void parse_type(std::string_view line) {
        using enum MatrixMarketField;
        const char field = lower(line[0]), structure = lower(line[1]);
        if (field == 'c') fail(2, line, "complex matrices are not supported; expected the type R.., I.. or P..");
        if (field == 'q') fail(2, line, "holds auxiliary data, not a matrix; expected the type R.., I.. or P..");
        if (lower(line[2]) == 'e') {
            fail(
                2, line.substr(2),
                "the matrix is a sum of finite elements, not assembled; expected the type ..A. Add the elements up and "
                "write the sum, in Python: scipy.io.mmwrite('A.mtx', scipy.sparse.coo_matrix((v, (i, j))))");
        }
        MatrixMarketHeader& matrix = header_.matrix;
        matrix.field = field == 'p' ? pattern : field == 'i' ? integer : real;
        matrix.symmetry = structure == 's' || structure == 'h' ? Symmetry::symmetric
                          : structure == 'z'                   ? Symmetry::skew_symmetric
                                                               : Symmetry::general;
        std::string_view rest = line.substr(3);
        matrix.n_rows = static_cast<Index>(count(2, rest, "the number of rows", most_rows));
        matrix.n_cols = static_cast<Index>(count(2, rest, "the number of columns", most_rows));
        matrix.n_entries = count(2, rest, "the number of entries", std::numeric_limits<Size>::max() - 1);
        if (matrix.symmetry != Symmetry::general && matrix.n_rows != matrix.n_cols) {
            fail(2, line,
                 fmt::format("expected as many rows as columns in a symmetric matrix, found {} x {}", matrix.n_rows,
                             matrix.n_cols));
        }
    }

    void parse_formats(std::string_view line) {
        header_.pointers = next_format(line, "the pointers", true);
        header_.indices = next_format(line, "the indices", true);
        if (header_.matrix.field == MatrixMarketField::pattern) return;
        header_.values = next_format(line, "the values", header_.matrix.field == MatrixMarketField::integer);
    }

    FortranFormat next_format(std::string_view& rest, std::string_view of, bool needs_integers) const {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        std::size_t end = 0;
        int depth = 0;
        do {
            if (end == rest.size()) break;
            depth += (rest[end] == '(') - (rest[end] == ')');
            ++end;
        } while (depth > 0);
        const auto format = parse_fortran_format(rest.substr(0, end));
        if (!format || (needs_integers && !format->is_integer)) {
            fail(3, rest,
                 fmt::format("expected the format of {} ({}), found '{}'", of,
                             needs_integers ? "such as (16I5)" : "such as (4E20.12)", rest.substr(0, end)));
        }
        rest.remove_prefix(end);
        return *format;
    }

    static constexpr Size most_rows = std::numeric_limits<Index>::max();

    std::string_view text_;
    const std::string& name_;
    std::array<std::size_t, 4> line_begin_{};
    HarwellBoeingHeader header_;
};

}  // namespace

std::optional<bool> looks_like_harwell_boeing(std::string_view beginning, bool is_all) {
    std::size_t offset = 0;
    std::optional<std::string_view> line;
    for (int i = 0; i < 3; ++i) {
        line = take_line(beginning, is_all, offset);
        if (!line) return is_all ? std::optional(false) : std::nullopt;
    }
    return is_type_line(*line);
}

std::optional<HarwellBoeingHeader> parse_harwell_boeing_header(std::string_view beginning, bool is_all,
                                                               const std::string& name) {
    std::array<std::string_view, 4> lines;
    std::size_t offset = 0;
    Size number = 0;
    const auto next = [&]() -> std::optional<std::string_view> {
        const auto line = take_line(beginning, is_all, offset);
        if (!line && is_all)
            throw ParseError(name, number + 1, 1, "the header of the Harwell-Boeing file is cut short");
        ++number;
        return line;
    };
    for (std::string_view& line : lines) {
        const auto found = next();
        if (!found) return {};
        line = *found;
    }
    HarwellBoeingHeader header = HeaderParser(beginning, name).parse(lines);
    if (header.has_rhs && !next()) return {};
    header.body = offset;
    header.body_line = number + 1;
    return header;
}

}  // namespace stiefel
