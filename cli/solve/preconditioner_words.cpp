#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/preconditioner/list.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

// Every backend lists the same.
constexpr auto& listed = preconditioners<Serial, double>;
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::none)].name == "none");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::jacobi)].name == "jacobi");

constexpr auto words = [] {
    std::array<Choice<PreconditionerWord>, n_preconditioners + 1> choices{};
    choices[0] = {"auto", PreconditionerWord::automatic};
    for (std::size_t i = 0; i < n_preconditioners; ++i) {
        choices[i + 1] = {listed[i].name, static_cast<PreconditionerWord>(i)};
    }
    return choices;
}();

}  // namespace

std::span<const Choice<PreconditionerWord>> preconditioner_choices() {
    return words;
}

std::string preconditioner_help() {
    std::string text;
    for (const auto& entry : listed) text += fmt::format("{}: {}; ", entry.name, entry.description);
    return text +
           "auto takes jacobi, or none where the diagonal is so even that scaling would change nothing, and goes "
           "on with amg where that would take more than 150 iterations on more than 20,000 rows [auto]";
}

}  // namespace stiefel::cli
