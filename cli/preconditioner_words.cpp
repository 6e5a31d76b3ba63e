#include "stiefel/cli/preconditioner_words.hpp"

#include "stiefel/preconditioner/list.hpp"
#include "stiefel/preconditioner/shifted_chebyshev.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace stiefel::cli {

namespace {

// Every backend lists the same.
constexpr auto& listed = preconditioners<Serial, double>;
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::none)].name == "none");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::jacobi)].name == "jacobi");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::block_jacobi)].name == "block-jacobi");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::amg)].name == "amg");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::fsai)].name == "fsai");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::ic)].name == "ic");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::ssor)].name == "ssor");
static_assert(listed[static_cast<std::size_t>(PreconditionerWord::cholesky)].name == "cholesky");

constexpr auto words = [] {
    std::array<Choice<PreconditionerWord>, n_preconditioners + 2> choices{};
    choices[0] = {"auto", PreconditionerWord::automatic};
    for (std::size_t i = 0; i < n_preconditioners; ++i) {
        choices[i + 1] = {listed[i].name, static_cast<PreconditionerWord>(i)};
    }
    choices.back() = {"shifted-chebyshev", PreconditionerWord::shifted_chebyshev};
    return choices;
}();

std::string listed_help() {
    std::string text = "what makes iterations fewer; ";
    for (const auto& entry : listed) text += fmt::format("{}: {}; ", entry.name, entry.description);
    return text;
}

}  // namespace

std::string_view preconditioner_name(PreconditionerWord word) {
    return listed[static_cast<std::size_t>(word)].name;
}

std::span<const Choice<PreconditionerWord>> preconditioner_choices() {
    return std::span(words).first(words.size() - 1);
}

std::string preconditioner_help() {
    return listed_help() +
           "auto takes jacobi, or none where the diagonal is so even that scaling would change nothing, and goes "
           "on with one whose set-up is expected to repay: amg on more than 20,000 rows (on the host as long as 150 "
           "iterations, more where A stores rows once for many), cholesky from 100 to 50,000 rows on the host, and on "
           "a "
           "device where all else takes long, fsai from 900 rows to 1,500,000 entries on a device [auto]";
}

std::span<const Choice<PreconditionerWord>> eigen_preconditioner_choices() {
    return words;
}

std::string eigen_preconditioner_help() {
    return "of lobpcg, " + listed_help() +
           "shifted-chebyshev: a polynomial in A of --degree, aimed at the wanted end of any symmetric matrix; auto "
           "takes amg for the smallest pairs of definite matrices, else shifted-chebyshev [auto]";
}

}  // namespace stiefel::cli
