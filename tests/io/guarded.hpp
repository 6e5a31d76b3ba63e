#pragma once

#include "stiefel/io/decimal.hpp"

#include <string>

namespace stiefel {

/// A line with what may be read behind it: digits, so that a parser that goes on is found out.
inline std::string guarded(std::string text) {
    return text + '\n' + std::string(text_guard, '7');
}

}  // namespace stiefel
