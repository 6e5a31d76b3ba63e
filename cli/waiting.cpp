#include "stiefel/cli/waiting.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace stiefel::cli {

namespace {

/// Turns of GNU's waiting loop: some 50 us on processors where its pause is long, 4 us where it is short, in between
/// two loops of an iteration and far from a time slice.
constexpr const char* turns = "1000";

}  // namespace

void wait_briefly_for_threads(char** argv) {
    if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
    std::array<char, 4096> program{};  // the name in /proc/self/exe would be that of the process from then on
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    if (length <= 0 || setenv("GOMP_SPINCOUNT", turns, 1) != 0) return;
    execv(program.data(), argv);
}

}  // namespace stiefel::cli
