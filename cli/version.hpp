#pragma once

namespace stiefel::cli {

/// "0.1.0"
extern const char* const version;

/// What this program was built with: "GNU 12.2.0", or "GNU 12.2.0, nvcc 13.0.48" with the CUDA backend.
extern const char* const compiler;

/// Of the sources when the program was built: "0a162cf", with "+" behind it if they had been changed since; empty where
/// it could not be told.
extern const char* const commit;

}  // namespace stiefel::cli
