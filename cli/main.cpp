#include "stiefel/cli/program.hpp"

int main(int argc, char** argv) {
    return stiefel::cli::run_program(argc, argv);
}
