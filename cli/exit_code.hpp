#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <exception>
#include <string>

namespace stiefel::cli {

/// What the program's exit status says; docs/cli.md promises these numbers to scripts.
enum class ExitCode : int {
    done = 0,
    wrong_use = 1,              ///< an option or its value, an output that cannot be written
    bad_input = 2,              ///< an input file cannot be read, or is not what the command can work on
    not_converged = 3,          ///< the report says why; x is written all the same
    not_positive_definite = 4,  ///< seen at the diagonal, or by the solver on its way
    no_resources = 5,           ///< device, memory or disk
};

/// The program was asked for something that cannot be: exit 1. what() names the flag and the way out.
class UsageError : public Error {
public:
    using Error::Error;
};

/// A file was read, but this command cannot work on what it holds: exit 2.
class UnsuitableInput : public Error {
public:
    using Error::Error;
};

/// The matrix cannot be positive definite: exit 4.
class NotPositiveDefinite : public Error {
public:
    using Error::Error;
};

/// What went wrong in one of several ranks, as all of them know it: they end together, in the same way.
class RankFault : public Error {
public:
    RankFault(ExitCode code, const std::string& message) : Error(message), code_(code) {}
    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

/// The one place where exceptions become exit codes.
ExitCode exit_code_of(const std::exception& error);

/// What an exception has to say to a user.
std::string message_of(const std::exception& error);

/// How a solve that ended for this reason ends the program.
ExitCode exit_code_of(StopReason reason);

}  // namespace stiefel::cli
