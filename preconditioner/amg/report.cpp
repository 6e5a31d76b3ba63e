#include "stiefel/preconditioner/amg/report.hpp"

#include <fmt/format.h>

namespace stiefel::amg {

std::string summary(const AmgReport& report) {
    return fmt::format("{} level{}, operator complexity {:.2f}, set up in {:.3g} s", report.levels.size(),
                       report.levels.size() == 1 ? "" : "s", report.operator_complexity(), report.total_seconds);
}

}  // namespace stiefel::amg
