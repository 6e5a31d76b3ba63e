#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/core/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// An option or argument and the path it was given; an empty path means that it was not given.
struct NamedPath {
    std::string_view flag;
    std::string path;
    std::vector<std::string_view> words = {};  ///< that it takes in place of a path
};

/// Finds out before the work, not after, that an output cannot be written: throws UsageError if two outputs are the
/// same file, one is an input, or one cannot be created. Leaves no trace.
void check_outputs(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);

/// Throws UsageError if vectors are to be written to a file whose ending says nothing of a format: which there are, and
/// the way out.
void check_vector_ending(std::string_view flag, const std::string& path);

/// Calls write(), which writes the output of an option. A failure is none of the input's: FileError becomes Error that
/// names the flag.
template <class F>
void write_output(std::string_view flag, F&& write) {
    try {
        write();
    } catch (const FileError& problem) {
        throw Error(std::string(flag) + ": " + problem.what());
    }
}

/// The same, but what goes wrong is told in `failures`, so that the outputs that follow are tried.
template <class F>
void try_output(std::string_view flag, std::vector<std::string>& failures, F&& write) {
    try {
        write();
    } catch (const std::exception& problem) {
        failures.push_back(std::string(flag) + ": " + message_of(problem));
    }
}

}  // namespace stiefel::cli
