#include "bench/suites/suite_progress.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/bar.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

SuiteProgress::SuiteProgress(const std::vector<Case>& cases, std::size_t before)
    : before_(before), n_all_(before + cases.size()) {
    for (const Case& one : cases) weight_all_ += one.weight;
}

std::string SuiteProgress::text(const Case& next) const {
    constexpr int cells = 20;
    std::string what;
    for (const auto& [name, value] : next.labels) {
        what += std::visit([](const auto& v) { return fmt::format(" {}", v); }, value);
    }
    const double share = weight_all_ > 0 ? weight_done_ / weight_all_ : 0;
    const double seconds = since_start_.seconds();
    const std::string eta = share > 0.005 ? cli::format_seconds(seconds / share * (1 - share)) : "?";
    return fmt::format("{} {:>5} of {}  eta {:<11}{}", cli::bar_text(share, cells), before_ + n_done_ + 1, n_all_, eta,
                       what);
}

void SuiteProgress::done(const Case& one) {
    ++n_done_;
    weight_done_ += one.weight;
}

}  // namespace stiefel::bench
