#include "stiefel/cli/version.hpp"

namespace stiefel::cli {

const char* const version = STIEFEL_VERSION;

}  // namespace stiefel::cli
