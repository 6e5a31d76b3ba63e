#include "bench/command.hpp"

#include "stiefel/core/error.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace {

using stiefel::bench::Command;
using stiefel::bench::commands;

void print_help() {
    fmt::print("stiefel-bench: kernels and solvers beside references, timed in the same run\n\n");
    for (const Command& command : commands()) {
        fmt::print("  stiefel-bench {} {}\n      {}\n", command.name, command.usage, command.description);
    }
    fmt::print(
        "\nOptions of Google Benchmark work everywhere: --benchmark_repetitions=N (9), --benchmark_filter=REGEX,\n"
        "--benchmark_min_time=SECONDS (0.1), ...\n");
}

/// Google Benchmark's arguments with our defaults before them; what it does not know is left for the subcommand.
std::vector<std::string> initialize_benchmark(int argc, char** argv) {
    std::vector<std::string> all{argv[0], "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=9",
                                 "--benchmark_min_time=0.1"};
    all.insert(all.end(), argv + 1, argv + argc);
    std::vector<char*> pointers;
    for (std::string& argument : all) pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    return {pointers.begin() + 1, pointers.begin() + count};
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments = initialize_benchmark(argc, argv);
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
        print_help();
        return arguments.empty() ? 1 : 0;
    }
    const std::string name = arguments[0];
    arguments.erase(arguments.begin());
    for (const Command& command : commands()) {
        if (command.name != name) continue;
        try {
            return command.run(arguments);
        } catch (const stiefel::Error& error) {
            fmt::print(stderr, "stiefel-bench {}: {}\n", name, error.what());
            return 1;
        }
    }
    fmt::print(stderr, "stiefel-bench: there is no '{}'; stiefel-bench --help lists what there is\n", name);
    return 1;
}
