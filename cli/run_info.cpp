#include "stiefel/cli/run_info.hpp"

#include "stiefel/cli/machine.hpp"
#include "stiefel/cli/version.hpp"

#include <sys/utsname.h>

#include <ctime>
#include <thread>

namespace stiefel::cli {

namespace {

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[sizeof "2026-11-21T15:52:06Z"];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return {text, length};
}

std::string host_name() {
    utsname system{};
    return uname(&system) == 0 ? system.nodename : "unknown host";
}

std::string system_name() {
    utsname system{};
    if (uname(&system) != 0) return "unknown system";
    return std::string(system.sysname) + ' ' + system.release + ' ' + system.machine;
}

}  // namespace

RunInfo this_run(std::span<const std::string> arguments) {
    RunInfo run{.command_line = "stiefel",
                .date = utc_now(),
                .host = host_name(),
                .processor = processor_name(),
                .logical_processors = static_cast<int>(std::thread::hardware_concurrency()),
                .system = system_name(),
                .compiler = compiler,
                .commit = commit};
    for (const std::string& argument : arguments) run.command_line += ' ' + shell_word(argument);
    return run;
}

std::string shell_word(std::string_view word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/=@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace stiefel::cli
