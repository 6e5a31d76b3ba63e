#include "stiefel/io/text_kind.hpp"

#include "stiefel/io/decimal.hpp"
#include "stiefel/io/harwell_boeing_header.hpp"
#include "stiefel/io/input_file.hpp"
#include "stiefel/io/text.hpp"

#include <algorithm>
#include <string>

namespace stiefel {

namespace {

/// Text that tells nothing in so many bytes is none of ours.
constexpr std::size_t enough_to_tell = 4096;

bool contains_any_case(std::string_view text, std::string_view word) {
    const auto equal = [](char a, char b) { return lower(a) == b; };
    return std::search(text.begin(), text.end(), word.begin(), word.end(), equal) != text.end();
}

/// Whether a line is two integers and a number.
bool is_triplet(std::string_view line) {
    std::string guarded(line);
    guarded += '\n';
    guarded.append(text_guard, '\0');
    const char* at = skip_blanks(guarded.data());
    const auto parted = [&] { return is_blank(*at) || *at == '\n'; };
    for (int i = 0; i < 2; ++i) {
        std::int64_t index = 0;
        if (parse_integer(at, index) != NumberStatus::ok || !parted()) return false;
        at = skip_blanks(at);
    }
    double value = 0;
    const NumberStatus status = parse_real(at, value);
    // nan, inf and 1e999 are of the right form: the parser will say what is wrong with them.
    if (status == NumberStatus::not_finite || status == NumberStatus::overflow) return true;
    return status == NumberStatus::ok && parted() && *skip_blanks(at) == '\n';
}

}  // namespace

bool begins_as_plain_matrix_market(const std::string& path) {
    constexpr std::string_view banner = "%%matrixmarket";
    const InputFile file(path);
    if (!file.has_size() || file.size() < banner.size()) return false;
    std::string beginning(banner.size(), ' ');
    file.read_at(0, beginning);
    return contains_any_case(beginning, banner);
}

bool mentions_matrix_market(std::string_view line) {
    return contains_any_case(line, "matrixmarket");
}

std::optional<TextKind> kind_of(std::string_view beginning, bool is_all) {
    using enum TextKind;
    if (beginning.starts_with("\x93NUMPY")) return numpy;
    const auto is_space = [](char c) { return is_blank(c) || c == '\n'; };
    const auto first = std::find_if_not(beginning.begin(), beginning.end(), is_space);
    if (contains_any_case(std::string_view(first, beginning.end()).substr(0, 14), "%%matrixmarket"))
        return matrix_market;
    const bool is_enough = is_all || beginning.size() >= enough_to_tell;
    const std::optional<bool> is_boeing = looks_like_harwell_boeing(beginning, is_all);
    if (!is_boeing && !is_enough) return {};
    if (is_boeing.value_or(false)) return harwell_boeing;
    while (!beginning.empty()) {
        const std::size_t end = beginning.find('\n');
        const std::string_view line = beginning.substr(0, end);
        if (end == line.npos && !is_all && line.size() < enough_to_tell) return {};
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin != line.npos && line[begin] != '%' && line[begin] != '#') {
            return is_triplet(line) ? triplets : matrix_market;
        }
        // A comment before the banner, or a '%' too few in it.
        if (mentions_matrix_market(line)) return matrix_market;
        if (end == line.npos) break;
        beginning.remove_prefix(end + 1);
    }
    if (is_all) return matrix_market;
    return {};
}

TextKind kind_of(const InputText& input) {
    for (std::size_t bytes = 1 << 14;; bytes *= 8) {
        const std::string beginning = input.beginning(bytes);
        if (const auto kind = kind_of(beginning, beginning.size() == input.size())) return *kind;
    }
}

}  // namespace stiefel
