#include "stiefel/io/line_chunks.hpp"
#include "stiefel/io/line_index.hpp"
#include "stiefel/io/matrix_market_body.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace stiefel {

std::string one_entry_more(const ParsedHeader& parsed, const std::string& found) {
    return fmt::format("expected the file to end after {} entries, found another one: {}", parsed.header.n_entries,
                       found);
}

void refuse_too_few(const InputText& input, const ParsedHeader& parsed, Size entries) {
    if (entries >= parsed.header.n_entries) return;
    fail_at_end(input, fmt::format("expected {} entries, found {} before the end of the file", parsed.header.n_entries,
                                   entries));
}

void refuse_fault(const InputText& input, const ParsedHeader& parsed, const std::exception_ptr& fault,
                  Size lines_before, Size entries_before, Size n_entries) {
    // Of two faults the earlier one in the file is told.
    const Size most = parsed.header.n_entries;
    const bool has_more = entries_before <= most && entries_before + n_entries > most;
    const EntryPlace more = has_more ? find_entry(input, parsed, most) : EntryPlace();
    try {
        if (fault) std::rethrow_exception(fault);
    } catch (const BodyFault& problem) {
        const Size line = parsed.body_line + lines_before + problem.line();
        if (!has_more || line < more.line) throw ParseError(input.name(), line, problem.column(), problem.problem());
    }
    if (has_more) throw ParseError(input.name(), more.line, more.column, one_entry_more(parsed, more.found));
}

EntryPlace find_entry(const InputText& input, const ParsedHeader& parsed, Size entry) {
    const LineChunks chunks(input, parsed.body, 1 << 20);
    LineIndex lines;
    std::vector<char> buffer;
    Size line_number = parsed.body_line;
    for (Size k = 0; k < chunks.count(); ++k) {
        const std::string_view text = chunks.read(k, buffer);
        lines.build(text);
        if (entry >= lines.n_entries()) {
            entry -= lines.n_entries();
            line_number += lines.n_lines();
            continue;
        }
        Size line = -1;
        const char* begin = nullptr;
        do begin = text.data() + lines.line_begin(++line);
        while (!is_entry_line(begin) || entry-- > 0);
        return {line_number + line, skip_blanks(begin) - begin + 1, quoted_field(skip_blanks(begin))};
    }
    return {};
}

}  // namespace stiefel
