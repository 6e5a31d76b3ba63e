#include "stiefel/cli/exit_code.hpp"

#include <new>

namespace stiefel::cli {

namespace {

template <class... Errors>
bool is_any(const std::exception& error) {
    return (... || (dynamic_cast<const Errors*>(&error) != nullptr));
}

}  // namespace

ExitCode exit_code_of(const std::exception& error) {
    if (const auto* const of_rank = dynamic_cast<const RankFault*>(&error)) return of_rank->code();
    if (is_any<UsageError, InvalidArgument>(error)) return ExitCode::wrong_use;
    if (is_any<UnsuitableInput, ParseError, FileError>(error)) return ExitCode::bad_input;
    if (is_any<NotPositiveDefinite>(error)) return ExitCode::not_positive_definite;
    return ExitCode::no_resources;
}

std::string message_of(const std::exception& error) {
    return is_any<std::bad_alloc>(error) ? "out of memory" : error.what();
}

ExitCode exit_code_of(StopReason reason) {
    switch (reason) {
        case StopReason::converged:
            return ExitCode::done;
        case StopReason::not_positive_definite:
            return ExitCode::not_positive_definite;
        default:
            return ExitCode::not_converged;
    }
}

}  // namespace stiefel::cli
