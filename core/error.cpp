#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace stiefel {

namespace {

std::string located(const std::string& file, std::int64_t line, std::int64_t column, std::string_view message) {
    if (line <= 0) return fmt::format("{}: {}", file, message);
    if (column <= 0) return fmt::format("{}:{}: {}", file, line, message);
    return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

std::string memory_message(std::string_view what_for, std::int64_t asked, std::int64_t free) {
    if (free < 0) return fmt::format("out of memory: {} needs {}", what_for, format_bytes(asked));
    return fmt::format("out of memory: {} needs {}, {} are free", what_for, format_bytes(asked), format_bytes(free));
}

}  // namespace

FileError::FileError(std::string file, std::string_view reason)
    : Error(fmt::format("{}: {}", file, reason)), file_(std::move(file)) {}

ParseError::ParseError(std::string file, std::int64_t line, std::int64_t column, std::string_view message)
    : Error(located(file, line, column, message)), file_(std::move(file)), line_(line), column_(column) {}

OutOfMemory::OutOfMemory(std::string_view what_for, std::int64_t bytes_asked, std::int64_t bytes_free)
    : Error(memory_message(what_for, bytes_asked, bytes_free)), bytes_asked_(bytes_asked), bytes_free_(bytes_free) {}

OutOfThreads::OutOfThreads(int asked, int startable)
    : Error(fmt::format("{} threads were to compute, and this process can start no more than {} (the limits of its "
                        "memory and processes: ulimit -v, ulimit -u, the container's pids); ask for fewer: --threads "
                        "1 and OMP_NUM_THREADS=1 need none to be started",
                        asked, startable)) {}

std::string format_bytes(std::int64_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    if (unit == 0) return fmt::format("{} B", bytes);
    return fmt::format("{:.{}f} {}", value, value < 10.0 ? 2 : 1, units[unit]);
}

}  // namespace stiefel
