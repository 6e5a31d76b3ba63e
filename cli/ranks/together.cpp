#include "stiefel/cli/ranks/together.hpp"

#include "stiefel/world/exchange.hpp"

#include <fmt/format.h>

#include <vector>

namespace stiefel::cli {

std::string of_rank(int rank, ExitCode code, const std::string& message) {
    return code == ExitCode::no_resources ? fmt::format("rank {}: {}", rank, message) : message;
}

void share_fault(Ranks& ranks, ExitCode code, const std::string& message) {
    const std::string said = code == ExitCode::done ? "" : static_cast<char>(code) + message;
    const std::vector<std::string> all = texts_told_to_all(ranks, said);
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r].empty()) continue;
        const auto its_code = static_cast<ExitCode>(all[r].front());
        throw RankFault(its_code, of_rank(static_cast<int>(r), its_code, all[r].substr(1)));
    }
}

}  // namespace stiefel::cli
