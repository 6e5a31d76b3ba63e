#include "stiefel/preconditioner/details.hpp"

#include <fmt/format.h>

namespace stiefel {

namespace {

template <class F>
double over_finest(const std::vector<PreconditionerDetails::Level>& levels, F&& figure) {
    double sum = 0;
    for (const auto& level : levels) sum += static_cast<double>(figure(level));
    return sum > 0 ? sum / static_cast<double>(figure(levels.front())) : 1;
}

}  // namespace

double PreconditionerDetails::operator_complexity() const {
    return over_finest(levels, [](const Level& level) { return level.nonzeros; });
}

double PreconditionerDetails::grid_complexity() const {
    return over_finest(levels, [](const Level& level) { return level.rows; });
}

std::string summary(const PreconditionerDetails& details) {
    if (details.factorisation) {
        return fmt::format("{:.3g} nonzeros in L, set up in {:.3g} s",
                           static_cast<double>(details.factorisation->nonzeros), details.seconds);
    }
    if (details.sparse_inverse) {
        return fmt::format("{:.3g} nonzeros in G, set up in {:.3g} s",
                           static_cast<double>(details.sparse_inverse->nonzeros), details.seconds);
    }
    if (details.blocks) {
        return fmt::format("{:.3g} block{}, set up in {:.3g} s", static_cast<double>(details.blocks->number),
                           details.blocks->number == 1 ? "" : "s", details.seconds);
    }
    if (details.levels.empty()) return {};
    return fmt::format("{} level{}, operator complexity {:.2f}, set up in {:.3g} s", details.levels.size(),
                       details.levels.size() == 1 ? "" : "s", details.operator_complexity(), details.seconds);
}

}  // namespace stiefel
