#include "stiefel/io/line_chunks.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/decimal.hpp"

#include <algorithm>

namespace stiefel {

namespace {

/// A stretch of the text that grows at its end.
class Window {
public:
    Window(const InputText& text, std::size_t begin, std::vector<char>& buffer)
        : text_(text), begin_(begin), buffer_(buffer) {}

    /// Reaches to byte `end` of the text, as far as there is text.
    void extend_to(std::size_t end) {
        const std::size_t size = std::min(end, text_.size()) - begin_;
        const std::size_t needed = size + 1 + static_cast<std::size_t>(text_guard);
        if (buffer_.size() < needed) buffer_.resize(needed);
        text_.copy(begin_ + size_, std::span(buffer_).subspan(size_, size - size_));
        size_ = size;
    }
    bool is_at_end() const { return begin_ + size_ == text_.size(); }
    std::string_view view() const { return {buffer_.data(), size_}; }

    /// Adds a '\n' behind the end of the text.
    void end_last_line() { buffer_[size_++] = '\n'; }

private:
    const InputText& text_;
    std::size_t begin_;
    std::vector<char>& buffer_;
    std::size_t size_ = 0;
};

}  // namespace

LineChunks::LineChunks(const InputText& text, std::size_t begin, Size chunk_bytes)
    : text_(text), begin_(begin), chunk_bytes_(static_cast<std::size_t>(chunk_bytes)) {
    require(chunk_bytes > 0, "reading: chunk_bytes must be positive");
    count_ = (static_cast<Size>(text.size() - begin) + chunk_bytes - 1) / chunk_bytes;
}

/// A chunk holds the lines that start in its share of the bytes.
std::string_view LineChunks::read(Size k, std::vector<char>& buffer) const {
    constexpr std::size_t usual_rest_of_line = 128;
    const std::size_t share = begin_ + static_cast<std::size_t>(k) * chunk_bytes_;
    const std::size_t share_end = std::min(share + chunk_bytes_, text_.size());
    const std::size_t begin = k == 0 ? share : share - 1;  // the byte before tells whether a line starts with the share
    Window window(text_, begin, buffer);
    window.extend_to(share_end + usual_rest_of_line);

    const std::size_t last = share_end - begin - 1;  // a '\n' from here on ends the last line that starts in the share
    const std::size_t first = k == 0 ? 0 : window.view().substr(0, last).find('\n') + 1;
    if (k != 0 && first == 0) return {};
    std::size_t end = window.view().find('\n', last);
    for (std::size_t more = usual_rest_of_line; end == std::string_view::npos && !window.is_at_end(); more *= 2) {
        const std::size_t seen = window.view().size();
        window.extend_to(begin + seen + more);
        end = window.view().find('\n', seen);
    }
    if (end == std::string_view::npos) {
        window.end_last_line();
        end = window.view().size() - 1;
    }
    return window.view().substr(first, end + 1 - first);
}

}  // namespace stiefel
