#include "bench/command.hpp"
#include "bench/spmv.hpp"

#include "stiefel/core/error.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

using stiefel::InvalidArgument;
using stiefel::bench::Command;

std::vector<Command> all_commands() {
    std::vector<Command> all;
    for (const auto& some :
         {stiefel::bench::commands(), stiefel::bench::cuda_commands(), stiefel::bench::program_commands()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

void print_command(const Command& command) {
    const std::string backend = command.backend == "cuda" ? " --backend cuda" : "";
    fmt::print("  {}{} {}\n      {}\n", command.name, backend, command.usage, command.description);
}

void print_help() {
    fmt::print(
        "stiefel-bench: kernels and solvers beside references, timed in the same run\n\n"
        "usage: stiefel-bench COMMAND [OPTIONS]\n"
        "       stiefel-bench --list     all rungs of the ladders of sparse kernels\n\n"
        "commands, and what they measure if nothing else is asked for:\n");
    for (const Command& command : all_commands()) print_command(command);
    fmt::print(
        "\nCommands that compare on the host (spmv, spmm, convert, cg) take Google Benchmark's options as well:\n"
        "  --benchmark_repetitions=N (9)   --benchmark_min_time=SECONDS (0.1)   --benchmark_filter=REGEX\n"
        "  --benchmark_out=FILE --benchmark_out_format=json|csv\n");
}

/// The first of that name.
std::optional<Command> named(std::string_view word) {
    for (const Command& command : all_commands()) {
        if (command.name == word) return command;
    }
    return std::nullopt;
}

void print_help_on(std::string_view word) {
    const std::optional<Command> command = named(word);
    command && command->help != nullptr ? command->help() : print_help();
}

/// What the command has to do before threads are started and Google Benchmark sees the arguments.
void begin(int argc, char** argv) {
    const std::optional<Command> command = named(argc > 1 ? argv[1] : "");
    if (command && command->begin != nullptr) command->begin(argv);
}

/// Removes Google Benchmark's arguments, after ours for what it is to do by default, from the rest.
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

/// The value of --backend, which is removed with it; empty if there is none.
std::string take_backend(std::vector<std::string>& arguments) {
    const auto option = std::ranges::find(arguments, "--backend");
    if (option == arguments.end()) return {};
    if (option + 1 == arguments.end()) throw InvalidArgument("--backend needs host or cuda");
    std::string value = option[1];
    if (value != "host" && value != "cuda")
        throw InvalidArgument("--backend must be host or cuda, not '" + value + "'");
    arguments.erase(option, option + 2);
    return value;
}

/// The command of that name, on the backend asked for; of two the host's if none is. Takes --backend from the
/// arguments unless the command reads it itself.
Command find_command(const std::string& name, std::vector<std::string>& arguments) {
    std::vector<Command> found = all_commands();
    std::erase_if(found, [&](const Command& command) { return command.name != name; });
    if (found.empty()) {
        throw InvalidArgument("there is no '" + name + "'; stiefel-bench --help lists what there is");
    }
    if (found.front().backend.empty()) return found.front();
    const std::string backend = take_backend(arguments);
    if (backend.empty()) return found.front();
    for (const Command& command : found) {
        if (command.backend == backend) return command;
    }
    throw InvalidArgument(backend == "host"
                              ? name + " runs on a device alone"
                              : "--backend cuda: this stiefel-bench was built without CUDA, or without cuSPARSE");
}

int run(int argc, char** argv) {
    // Before Google Benchmark sees the arguments, which would print its own.
    const std::vector<std::string_view> given(argv + 1, argv + argc);
    const bool help = std::ranges::any_of(given, [](auto word) { return word == "--help" || word == "-h"; });
    if (given.empty() || help) {
        print_help_on(given.empty() ? "" : given.front());
        return help ? 0 : 1;
    }
    std::vector<std::string> arguments = initialize_benchmark(argc, argv);
    if (arguments.empty()) throw InvalidArgument("which command? stiefel-bench --help lists what there is");
    const std::string name = arguments[0];
    arguments.erase(arguments.begin());
    if (name == "--list") return stiefel::bench::list_kernels(arguments);
    return find_command(name, arguments).run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        begin(argc, argv);
        return run(argc, argv);
    } catch (const stiefel::Error& error) {
        fmt::print(stderr, "stiefel-bench: {}\n", error.what());
        return 1;
    }
}
