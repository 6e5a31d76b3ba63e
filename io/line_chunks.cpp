#include "stiefel/io/line_chunks.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"
#include "stiefel/io/text.hpp"

#include <algorithm>
#include <cstring>

namespace stiefel {

namespace {

/// Where the lines end that have text_guard bytes behind them.
std::string_view guarded_lines(std::string_view text) {
    constexpr auto guard = static_cast<std::size_t>(text_guard);
    if (text.size() <= guard) return {};
    const std::size_t newline = text.rfind('\n', text.size() - guard - 1);
    return newline == std::string_view::npos ? std::string_view() : text.substr(0, newline + 1);
}

const char* next_line(const char* line, const char* end) {
    return static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line))) + 1;
}

/// Whether a line that starts so may hold no entry, or may have its entry further on.
bool is_unusual_start(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '%';
}

}  // namespace

LineChunks::LineChunks(std::span<const char> text, Size chunk_bytes)
    : main_(guarded_lines({text.data(), text.size()})), chunk_bytes_(chunk_bytes) {
    require(chunk_bytes > 0, "reading: chunk_bytes must be positive");
    const std::span<const char> rest = text.subspan(main_.size());
    tail_.assign(rest.begin(), rest.end());
    if (!tail_.empty() && tail_.back() != '\n') tail_ += '\n';
    n_main_chunks_ = (static_cast<Size>(main_.size()) + chunk_bytes - 1) / chunk_bytes;
    tail_.append(static_cast<std::size_t>(text_guard), '\0');
}

std::string_view LineChunks::operator[](Size k) const {
    if (k == n_main_chunks_)
        return std::string_view(tail_).substr(0, tail_.size() - static_cast<std::size_t>(text_guard));
    const Size begin = line_start(k * chunk_bytes_);
    const Size end = line_start((k + 1) * chunk_bytes_);
    return main_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// The first line start at or behind an offset.
Size LineChunks::line_start(Size offset) const {
    if (offset == 0) return 0;
    if (offset >= static_cast<Size>(main_.size())) return static_cast<Size>(main_.size());
    return next_line(main_.data() + offset - 1, main_.data() + main_.size()) - main_.data();
}

bool is_entry_line(const char* line) {
    const char* const first = skip_blanks(line);
    return *first != '\n' && *first != '%';
}

LineCount count_lines(std::string_view chunk) {
    if (chunk.empty()) return {};
    const char* at = chunk.data();
    const char* const end = at + chunk.size();
    LineCount count;
    // Each byte is looked at together with the next, which starts a line if the byte is a newline. Counts of a block
    // fit in a byte, so that as many bytes are compared at once as a vector register holds.
    constexpr Size block = 192;
    bool unusual = is_unusual_start(*at);
    for (; end - at > block; at += block) {
        unsigned char newlines = 0;
        unsigned char unusual_starts = 0;
        for (Size i = 0; i < block; ++i) {
            const bool newline = at[i] == '\n';
            newlines = static_cast<unsigned char>(newlines + newline);
            unusual_starts |= static_cast<unsigned char>(newline & is_unusual_start(at[i + 1]));
        }
        count.lines += newlines;
        unusual |= unusual_starts != 0;
    }
    for (; at != end; ++at) {
        count.lines += *at == '\n';
        unusual |= *at == '\n' && at + 1 != end && is_unusual_start(at[1]);
    }
    count.entries = count.lines;
    if (unusual) {
        count.entries = 0;
        for (const char* line = chunk.data(); line != end; line = next_line(line, end))
            count.entries += is_entry_line(line);
    }
    return count;
}

}  // namespace stiefel
