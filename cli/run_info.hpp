#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stiefel::cli {

/// Which run of the program a report is of: what repeats it, and where and by what it was done.
struct RunInfo {
    std::string command_line = {};  ///< as a shell takes it
    std::string date = {};          ///< when it began, ISO 8601 in UTC: "2026-11-21T15:52:06Z"
    std::string host = {};
    std::string processor = {};
    int logical_processors = 0;  ///< that this process may use
    std::string system = {};     ///< "Linux 6.1.0-18-amd64 x86_64"
    std::string compiler = {};   ///< that the program was built with, CUDA's as well
    std::string commit = {};     ///< of the program's sources; empty where it is not known
};

/// This run, begun now, with the arguments after the program's name.
RunInfo this_run(std::span<const std::string> arguments);

/// A word as a shell takes it: in quotes where it has characters with a meaning there.
std::string shell_word(std::string_view word);

}  // namespace stiefel::cli
