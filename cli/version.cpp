#include "stiefel/cli/version.hpp"

namespace stiefel::cli {

const char* const version = STIEFEL_VERSION;
const char* const compiler = STIEFEL_COMPILER;

}  // namespace stiefel::cli
