#include "stiefel/cli/program.hpp"
#include "stiefel/cli/waiting.hpp"

int main(int argc, char** argv) {
    stiefel::cli::wait_briefly_for_threads(argv);
    return stiefel::cli::run_program(argc, argv);
}
