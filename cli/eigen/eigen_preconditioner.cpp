#include "stiefel/cli/eigen/eigen_preconditioner.hpp"

#include "stiefel/solver/whole_space.hpp"

#include <utility>

namespace stiefel::cli {

PreconditionerChoice choose_preconditioner(const DiagonalEntries& diagonal, Size n_rows,
                                           const EigenCommandOptions& options) {
    using Word = PreconditionerWord;
    if (options.method != EigenMethod::lobpcg) return {.word = Word::none};
    if (options.preconditioner != Word::automatic) return {.word = options.preconditioner};
    if (n_rows <= whole_space_rows) return {.word = Word::none, .reason = "a dense method needs none"};
    if (options.which == EigenEnd::largest) return without_amg(options, "the largest pairs are wanted");
    if (diagonal.missing.count + diagonal.zero.count + diagonal.negative.count > 0) {
        return without_amg(options, "the diagonal is not positive");
    }
    return {.word = Word::amg, .reason = "the diagonal is positive"};
}

PreconditionerChoice without_amg(const EigenCommandOptions& options, std::string why) {
    if (options.degree == 0) return {.word = PreconditionerWord::none, .reason = std::move(why)};
    return {.word = PreconditionerWord::shifted_chebyshev, .reason = std::move(why)};
}

}  // namespace stiefel::cli
