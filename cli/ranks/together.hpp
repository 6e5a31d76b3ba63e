#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/world/ranks.hpp"

#include <exception>
#include <string>
#include <utility>

namespace stiefel::cli {

/// Tells all ranks what went wrong in each: an empty message is nothing. Throws RankFault in all of them, with the
/// message of the first rank that has one. All call it at once.
void share_fault(Ranks& ranks, ExitCode code, const std::string& message);

/// Does f() in each rank, which must not wait for others; where it throws in one, all throw RankFault. All call it at
/// once.
template <class F>
void together(Ranks& ranks, F&& f) {
    ExitCode code = ExitCode::done;
    std::string message;
    try {
        std::forward<F>(f)();
    } catch (const std::exception& problem) {
        code = exit_code_of(problem);
        message = message_of(problem);
    }
    share_fault(ranks, code, message);
}

/// Done by the first rank alone; where it throws, all do.
template <class F>
void by_first(Ranks& ranks, F&& f) {
    together(ranks, [&] {
        if (ranks.rank() == 0) f();
    });
}

/// "rank 2: MESSAGE" where a machine is to blame, for inputs and options are the same for all.
std::string of_rank(int rank, ExitCode code, const std::string& message);

}  // namespace stiefel::cli
