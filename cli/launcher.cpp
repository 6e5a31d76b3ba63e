#include "stiefel/cli/launcher.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

namespace stiefel::cli {

namespace {

struct Launcher {
    const char* size;
    const char* rank;
    const char* present;  ///< that must be set as well, as others set the first two; nullptr: no more
};

constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", nullptr},
    {"PMI_SIZE", "PMI_RANK", nullptr},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "PMIX_RANK"},
};

/// The number in a variable; -1 if there is none.
int number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return -1;
    int number = -1;
    const char* const end = text + std::strlen(text);
    const auto parsed = std::from_chars(text, end, number);
    return parsed.ec == std::errc{} && parsed.ptr == end ? number : -1;
}

}  // namespace

Launch launch_of_environment() {
    for (const Launcher& launcher : launchers) {
        if (launcher.present != nullptr && std::getenv(launcher.present) == nullptr) continue;
        const int ranks = number_in(launcher.size), rank = number_in(launcher.rank);
        if (ranks > 1 && rank >= 0) return {ranks, rank};
    }
    return {};
}

std::optional<int> become_rank(char** argv) {
    const Launch launch = launch_of_environment();
    if (launch.ranks == 1) return {};
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string of_ranks = program.string() + "-mpi";
    if (!error) execv(of_ranks.c_str(), argv);
    const std::string reason = std::strerror(errno);
    // A launcher ends all with the first that fails, which is to be the one that says why. Where that one has started,
    // on a host that has the program, this one is not ended and speaks for itself.
    if (launch.rank > 0) std::this_thread::sleep_for(std::chrono::seconds{2});
    print_message(fmt::format(
        "this is one of {} processes that are to solve together, but the program for that cannot be started: "
        "{}: {}. Build Stiefel where there is an MPI (libopenmpi-dev), or start it without mpirun",
        launch.ranks, of_ranks, reason));
    return static_cast<int>(ExitCode::wrong_use);
}

}  // namespace stiefel::cli
