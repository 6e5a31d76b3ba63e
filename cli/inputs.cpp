#include "stiefel/cli/inputs.hpp"

#include "stiefel/cli/generated_matrix.hpp"
#include "stiefel/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <system_error>

namespace stiefel::cli {

namespace {

namespace fs = std::filesystem;

void check_one_standard_input(const std::vector<NamedPath>& inputs) {
    const NamedPath* first = nullptr;
    for (const NamedPath& input : inputs) {
        if (input.path != "-") continue;
        if (first != nullptr) {
            throw UsageError(fmt::format("{} and {} are both '-', but standard input can be read only once",
                                         first->flag, input.flag));
        }
        first = &input;
    }
}

/// A file in the same folder whose name begins with this one, or is near it.
std::optional<std::string> file_meant(const fs::path& path) {
    constexpr int most = 10000;  // files to look at: a suggestion is not worth a long wait
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->is_regular_file(error)) names.push_back(entry->path().filename().string());
        if (names.size() == most) break;
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto nearest = nearest_word(path.filename().string(), views);
    if (!nearest) return {};
    return path.has_parent_path() ? (path.parent_path() / *nearest).string() : std::string(*nearest);
}

void check_exists(const NamedPath& input) {
    if (input.flag == matrix_argument && is_generated(input.path)) {
        static_cast<void>(generated_matrix(input.path));
        return;
    }
    std::error_code error;
    if (input.path.empty() || input.path == "-" || fs::exists(input.path, error) || error) return;
    if (const auto word = nearest_word(input.path, input.words)) {
        throw UsageError(
            fmt::format("{} {}: there is no such file; did you mean '{}'?", input.flag, input.path, *word));
    }
    std::string problem = "there is no such file";
    if (input.flag.starts_with("--")) problem += fmt::format(" ({})", input.flag);
    if (const auto file = file_meant(input.path)) problem += fmt::format("; did you mean '{}'?", *file);
    if (!input.words.empty()) {
        problem += fmt::format("; {} takes a file, or one of {}", input.flag, fmt::join(input.words, ", "));
    }
    throw FileError(input.path, problem);
}

}  // namespace

void check_inputs(const std::vector<NamedPath>& inputs) {
    check_one_standard_input(inputs);
    for (const NamedPath& input : inputs) check_exists(input);
}

}  // namespace stiefel::cli
