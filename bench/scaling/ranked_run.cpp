#include "bench/scaling/ranked_run.hpp"

#include "bench/suites/scratch_folder.hpp"

#include "stiefel/cli/run_info.hpp"
#include "stiefel/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace stiefel::bench {

namespace {

using Json = nlohmann::json;

std::vector<std::string> command(const ScalingOptions& options, const std::string& system, int ranks,
                                 const std::string& report) {
    std::vector<std::string> words;
    std::istringstream launcher(options.mpirun);
    for (std::string word; launcher >> word;) words.push_back(word);
    // A tolerance that is not met: just so many iterations.
    words.insert(words.end(), {"-np", std::to_string(ranks), options.program, "solve", system, "--partition", "blocks",
                               "--backend", options.backend, "--preconditioner", "jacobi", "--rtol", "1e-300",
                               "--max-iterations", std::to_string(options.iterations), "--json", report, "-q"});
    if (options.backend == "openmp") words.insert(words.end(), {"--threads", std::to_string(options.threads)});
    return words;
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Waits for its end. What it says goes to the file.
void run_program(const std::vector<std::string>& words, const std::string& said) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw Error(fmt::format("{}: {}", words.front(), std::strerror(failure)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

RankedRun described(const std::string& report, int ranks) {
    const Json json = Json::parse(report);
    const auto iterations = json["result"]["iterations"].get<double>();
    RankedRun run{.iteration = json["seconds"]["solve"].get<double>() / iterations,
                  .rows = json["matrix"]["n_rows"].get<Size>(),
                  .report = report};
    const Json& of_ranks = json["ranks"];
    if (of_ranks.is_null()) return run;
    const auto seconds = [&](const char* part) {
        const Json& known = of_ranks[part];
        return known.is_null() ? std::nullopt : std::optional(known.get<double>() / iterations);
    };
    run.halo = seconds("halo_seconds");
    run.sums = seconds("sum_seconds");
    run.sent = of_ranks["halo_bytes"].get<Size>();
    if (of_ranks["number"].get<int>() < ranks) run.one_gpu = of_ranks["partition_reason"].get<std::string>();
    return run;
}

}  // namespace

std::string scaling_system(const ScalingOptions& options, std::string_view kind, int ranks) {
    return fmt::format("generate:{0}:{1}:{1}:{2}", options.problem, options.size,
                       kind == "weak" ? options.size * ranks : options.size);
}

RankedRun run_on_ranks(const ScalingOptions& options, std::string_view kind, int ranks) {
    const ScratchFolder folder;
    const std::string report = folder.path() + "/report.json", said = folder.path() + "/said";
    const auto words = command(options, scaling_system(options, kind, ranks), ranks, report);
    run_program(words, said);
    const std::string text = text_of(report);
    if (!text.empty()) return described(text, ranks);
    std::string line;
    for (const std::string& word : words) line += cli::shell_word(word) + ' ';
    throw Error(fmt::format("{}ended without a report:\n{}", line, text_of(said)));
}

}  // namespace stiefel::bench
