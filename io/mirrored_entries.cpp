#include "stiefel/io/mirrored_entries.hpp"

#include <fmt/format.h>

#include <tuple>

namespace stiefel {

MirroredEntries find_mirrored_entries(std::vector<NumberedEntry>& entries) {
    const auto place = [](const NumberedEntry& e) { return std::tuple(e.lower_row(), e.lower_col()); };
    std::sort(entries.begin(), entries.end(), [&](const NumberedEntry& a, const NumberedEntry& b) {
        return std::tuple(place(a), a.number) < std::tuple(place(b), b.number);
    });
    MirroredEntries first;
    for (std::size_t begin = 0, e = 1; e < entries.size(); ++e) {
        if (place(entries[e]) != place(entries[begin])) begin = e;
        const bool is_pair = entries[e].is_upper() != entries[begin].is_upper();
        if (is_pair && (!first.are_there() || entries[e].number < first.later.number)) {
            first = {entries[begin], entries[e]};
        }
    }
    return first;
}

void refuse_mirrored_entries(const InputText& input, const ParsedHeader& header, const MirroredEntries& pair) {
    const EntryPlace earlier = find_entry(input, header, pair.earlier.number);
    const EntryPlace later = find_entry(input, header, pair.later.number);
    throw ParseError(
        input.name(), later.line, later.column,
        fmt::format("entry ({}, {}) mirrors entry ({}, {}) of line {}; expected only one triangle of a "
                    "symmetric matrix (a file that lists both must say 'general')",
                    pair.later.row + 1, pair.later.col + 1, pair.earlier.row + 1, pair.earlier.col + 1, earlier.line));
}

}  // namespace stiefel
