#include "stiefel/cli/waiting.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

namespace stiefel::cli {

namespace {

/// A turn of GNU's waiting loop, but for the look at what it waits for.
void turn() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" : : : "memory");
#endif
}

/// The seconds of one: of a pause some 10 to 50 ns, as the processor has it.
double seconds_of_turn() {
    using Clock = std::chrono::steady_clock;
    constexpr int turns = 100;
    double least = 1;
    for (int attempt = 0; attempt < 3; ++attempt) {  // the first may begin slowly, any be interrupted
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < turns; ++i) turn();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count() / turns);
    }
    return least;
}

/// As many as last 40 us: longer than what one thread does alone between two loops of an iteration, and far from a time
/// slice.
std::string turns_of_wait() {
    constexpr double wait = 40e-6;
    return std::to_string(std::clamp(static_cast<int>(wait / seconds_of_turn()), 200, 100000));
}

}  // namespace

void wait_briefly_for_threads(char** argv) {
    if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
    std::array<char, 4096> program{};  // the name in /proc/self/exe would be that of the process from then on
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    if (length <= 0 || setenv("GOMP_SPINCOUNT", turns_of_wait().c_str(), 1) != 0) return;
    execv(program.data(), argv);
}

}  // namespace stiefel::cli
