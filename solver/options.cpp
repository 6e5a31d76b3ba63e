#include "stiefel/core/error.hpp"
#include "stiefel/solver/cg_options.hpp"

#include <fmt/format.h>

namespace stiefel {

void check_rtol(const char* method, double rtol) {
    if (rtol >= 0 && rtol < 1) return;
    throw InvalidArgument(fmt::format("{}: rtol is {}; it must be at least 0 and below 1", method, rtol));
}

void check_time_limit(const char* method, double time_limit) {
    if (!(time_limit >= 0)) {
        throw InvalidArgument(fmt::format("{}: time_limit is {}; it must not be negative or NaN", method, time_limit));
    }
}

void check_cg_options(const char* method, const CgOptions& options) {
    check_rtol(method, options.rtol);
    if (!(options.atol >= 0)) {
        throw InvalidArgument(fmt::format("{}: atol is {}; it must not be negative or NaN", method, options.atol));
    }
    check_time_limit(method, options.time_limit);
    if (!(options.matrix_norm >= 0)) {
        throw InvalidArgument(
            fmt::format("{}: matrix_norm is {}; it must not be negative or NaN", method, options.matrix_norm));
    }
}

}  // namespace stiefel
