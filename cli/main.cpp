#include "stiefel/cli/launcher.hpp"
#include "stiefel/cli/program.hpp"
#include "stiefel/cli/waiting.hpp"
#include "stiefel/core/kept_memory.hpp"

int main(int argc, char** argv) {
    if (const auto refused = stiefel::cli::become_rank(argv)) return *refused;
    stiefel::cli::wait_briefly_for_threads(argv);
    stiefel::keep_freed_memory();
    return stiefel::cli::run_program(argc, argv);
}
