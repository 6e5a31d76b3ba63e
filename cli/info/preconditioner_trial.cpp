#include "stiefel/cli/info/preconditioner_trial.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::cli {

namespace {

bool is_automatic(const PreconditionerTrial& trial) {
    return trial.name == "auto";
}

}  // namespace

const PreconditionerTrial* fastest(const std::vector<PreconditionerTrial>& trials) {
    const PreconditionerTrial* best = nullptr;
    for (const PreconditionerTrial& trial : trials) {
        if (!trial.converged || is_automatic(trial)) continue;
        if (best == nullptr || trial.seconds() < best->seconds()) best = &trial;
    }
    return best;
}

std::string verdict(const std::vector<PreconditionerTrial>& trials) {
    const PreconditionerTrial* const best = fastest(trials);
    if (best == nullptr) return "none of them";
    std::string text = fmt::format("{}, {}", best->name, format_seconds(best->seconds()));
    const auto automatic = std::find_if(trials.begin(), trials.end(), is_automatic);
    if (automatic == trials.end()) return text;
    if (!automatic->converged) return text + fmt::format("; auto ended as {}", automatic->ended);
    return text + fmt::format("; auto took {}, {:.1f} times as long", automatic->taken,
                              automatic->seconds() / best->seconds());
}

}  // namespace stiefel::cli
