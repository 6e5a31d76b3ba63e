#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/io/decimal.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace stiefel {

/// The lines of a text one by one, guarded (decimal.hpp).
class GuardedLines {
public:
    explicit GuardedLines(std::string_view text) : text_(text) {}

    /// The next line; nullptr at the end of the text.
    const char* next() {
        if (offset_ >= text_.size()) return nullptr;
        const std::size_t end = std::min(text_.find('\n', offset_), text_.size());
        const std::size_t rest = text_.size() - offset_;
        const char* line = text_.data() + offset_;
        if (rest <= end - offset_ + 1 + static_cast<std::size_t>(text_guard)) {  // the last lines: copied
            copy_.assign(text_.substr(offset_, end - offset_));
            copy_ += '\n';
            copy_.append(static_cast<std::size_t>(text_guard), '\0');
            line = copy_.data();
        }
        offset_ = std::min(end + 1, text_.size());
        ++number_;
        return line;
    }
    Size number() const { return number_; }

private:
    std::string_view text_;
    std::size_t offset_ = 0;
    std::string copy_;
    Size number_ = 0;
};

/// What begins a comment in text that has no banner.
inline bool begins_comment(char c) {
    return c == '%' || c == '#';
}

}  // namespace stiefel
