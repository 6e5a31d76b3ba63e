#include "stiefel/cli/ranks/together.hpp"

#include "stiefel/world/exchange.hpp"

#include <fmt/format.h>

#include <span>
#include <vector>

namespace stiefel::cli {

std::string of_rank(int rank, ExitCode code, const std::string& message) {
    return code == ExitCode::no_resources ? fmt::format("rank {}: {}", rank, message) : message;
}

void share_fault(Ranks& ranks, ExitCode code, const std::string& message) {
    Ranks::Bytes said;
    if (code != ExitCode::done) {
        said = bytes_of(std::span<const char>(message));
        said.insert(said.begin(), static_cast<std::byte>(code));
    }
    const std::vector<Ranks::Bytes> all = told_to_all(ranks, said);
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r].empty()) continue;
        const auto its_code = static_cast<ExitCode>(all[r].front());
        std::string text;
        for (std::size_t i = 1; i < all[r].size(); ++i) text += static_cast<char>(all[r][i]);
        throw RankFault(its_code, of_rank(static_cast<int>(r), its_code, text));
    }
}

}  // namespace stiefel::cli
