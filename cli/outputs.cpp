#include "stiefel/cli/outputs.hpp"

#include "stiefel/cli/run_info.hpp"
#include "stiefel/io/output_file.hpp"
#include "stiefel/io/vector_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace stiefel::cli {

namespace {

namespace fs = std::filesystem;

/// Whether two paths lead to one regular file (or will, when it is written), or are both standard output. Devices and
/// pipes may be shared: nothing is replaced there.
bool is_same_file(const std::string& a, const std::string& b) {
    if (a == "-" || b == "-") return a == b;
    std::error_code error;
    if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
    if (fs::equivalent(a, b, error)) return true;
    return fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
}

void check_can_be_written(const NamedPath& output) {
    std::error_code error;
    const fs::file_status status = fs::status(output.path, error);
    if (fs::is_other(status)) {  // opening a pipe just to try would end its reader
        if (access(output.path.c_str(), W_OK) == 0) return;
        throw UsageError(fmt::format("{}: {}: {}", output.flag, output.path, std::strerror(errno)));
    }
    const fs::path folder = fs::path(output.path).parent_path();
    if (!folder.empty() && !fs::exists(folder, error)) {
        throw UsageError(fmt::format("{}: {}: there is no folder {}; 'mkdir -p {}' makes it", output.flag, output.path,
                                     folder.string(), shell_word(folder.string())));
    }
    try {
        const OutputFile trial(output.path);
    } catch (const FileError& problem) {
        throw UsageError(fmt::format("{}: {}", output.flag, problem.what()));
    }
}

}  // namespace

void check_outputs(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const NamedPath& output = outputs[i];
        if (output.path.empty()) continue;
        for (std::size_t j = 0; j < i; ++j) {
            if (outputs[j].path.empty() || !is_same_file(output.path, outputs[j].path)) continue;
            throw UsageError(fmt::format("{} and {} would both write {}", outputs[j].flag, output.flag,
                                         output.path == "-" ? "to standard output" : output.path));
        }
        if (output.path == "-") continue;
        for (const NamedPath& input : inputs) {
            if (input.path.empty() || !is_same_file(output.path, input.path)) continue;
            throw UsageError(fmt::format("{}: {} is also the input {}; write to another file", output.flag, output.path,
                                         input.flag));
        }
        check_can_be_written(output);
    }
}

void check_vector_ending(std::string_view flag, const std::string& path) {
    if (path.empty() || vector_format_of(path)) return;
    throw UsageError(
        fmt::format("{}: {} does not end in {}; which one is meant? (A name without an ending is Matrix "
                    "Market.)",
                    flag, path, vector_endings));
}

}  // namespace stiefel::cli
