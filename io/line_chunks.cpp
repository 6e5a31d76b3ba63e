#include "stiefel/io/line_chunks.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"

namespace stiefel {

namespace {

/// The lines that have text_guard bytes behind them.
std::string_view guarded_lines(std::string_view text) {
    constexpr auto guard = static_cast<std::size_t>(text_guard);
    if (text.size() <= guard) return {};
    return text.substr(0, text.rfind('\n', text.size() - guard - 1) + 1);  // npos + 1 is 0
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
    const std::size_t begin = line_start(k);
    return main_.substr(begin, line_start(k + 1) - begin);
}

/// Where chunk k begins: at the first line start at or behind its share of the bytes.
std::size_t LineChunks::line_start(Size k) const {
    if (k == 0) return 0;
    if (k == n_main_chunks_) return main_.size();
    return main_.find('\n', static_cast<std::size_t>(k * chunk_bytes_) - 1) + 1;
}

}  // namespace stiefel
