#include "stiefel/cli/ranks/agreement.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/run_info.hpp"
#include "stiefel/cli/version.hpp"
#include "stiefel/world/exchange.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace stiefel::cli {

namespace {

void check_alike(Ranks& ranks, const char* what, const std::string& here) {
    const std::vector<std::string> all = texts_told_to_all(ranks, here);
    for (std::size_t r = 1; r < all.size(); ++r) {
        if (all[r] == all.front()) continue;
        throw RankFault(ExitCode::wrong_use, fmt::format("the ranks are to be {}: rank 0 is '{}', rank {} '{}'", what,
                                                         all.front(), r, all[r]));
    }
}

}  // namespace

std::string this_program() {
    const bool is_clean = std::string_view(commit).empty();
    return fmt::format("stiefel {}{}{}, {}", version, is_clean ? "" : " of ", commit, compiler);
}

void check_all_alike(Ranks& ranks, const std::string& program, int argc, const char* const* argv) {
    check_alike(ranks, "of the same program", program);
    std::string words = "stiefel";
    for (int i = 1; i < argc; ++i) words += ' ' + shell_word(argv[i]);
    check_alike(ranks, "asked for the same", words);
}

}  // namespace stiefel::cli
