#pragma once

namespace stiefel::cli {

/// "0.1.0"
extern const char* const version;

}  // namespace stiefel::cli
