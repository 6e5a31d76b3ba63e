#include "stiefel/cli/backend_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace stiefel::cli {

namespace {

constexpr Size most_threads = 4096;
constexpr Size most_devices = 1024;

}  // namespace

void add_backend_options(CLI::App& command, const std::string& group, BackendWords& words) {
    add_choice<BackendChoice>(command, "--backend", words.backend, backend_choices,
                              {"", group, "where to compute [auto]"});
    add_whole(command, "--device", words.device, 0, most_devices - 1,
              {"N", group, "CUDA device, counted among those that CUDA_VISIBLE_DEVICES shows [0]"});
    add_whole(command, "--threads", words.threads, 1, most_threads,
              {"N", group, "[OMP_NUM_THREADS, else all cores]; the result does not depend on it"});
}

void check_backend_options(const BackendWords& words) {
    if (words.backend == BackendChoice::serial && words.threads > 1) {
        throw UsageError("--threads: the serial backend runs on one thread; leave it out or take --backend openmp");
    }
    if (words.device >= 0 && (words.backend == BackendChoice::serial || words.backend == BackendChoice::openmp)) {
        throw UsageError(
            fmt::format("--device: the {} backend computes on the host; leave it out or take --backend cuda",
                        word_of<BackendChoice>(words.backend, backend_choices)));
    }
}

BackendOptions backend_options(const BackendWords& words) {
    return {
        .choice = words.backend, .threads = static_cast<int>(words.threads), .device = static_cast<int>(words.device)};
}

}  // namespace stiefel::cli
