#include "bench/command.hpp"
#include "bench/scaling/scaling.hpp"
#include "bench/scaling/scaling_options.hpp"
#include "bench/suites/run_suite.hpp"

#include "stiefel/cli/waiting.hpp"
#include "stiefel/core/kept_memory.hpp"

#include <fmt/format.h>

#include <array>

namespace stiefel::bench {

namespace {

/// What is measured is what users of the program get.
void begin_as_the_program(char** argv) {
    cli::wait_briefly_for_threads(argv);
    keep_freed_memory();
}

}  // namespace

std::span<const Command> program_commands() {
    static constexpr std::array list{
        Command{.name = "suite",
                .usage = "spmv|spmm|transpose|gemm|panel|products|triangular|density|solve [--quick] [OPTIONS]",
                .description = "a question answered by measurements: one JSON and a table; 'suite --help' tells more",
                .run = run_suite,
                .begin = begin_as_the_program,
                .help = [] { fmt::print("{}", suite_help()); }},
        Command{.name = "scaling",
                .usage = "[--only strong|weak] [--ranks N ...] [--size N] [--backend openmp|cuda] [OPTIONS]",
                .description = "iterations on several ranks, strong and weak, and where their time goes (mpirun; "
                               "'scaling --help' tells more)",
                .run = run_scaling,
                .help = [] { fmt::print("{}", scaling_help()); }},
    };
    return list;
}

}  // namespace stiefel::bench
