#include "stiefel/cli/interrupt.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <utility>

namespace stiefel::cli {

namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};
constexpr std::int64_t repeat_window = 1'000'000'000;  // nanoseconds

/// When the first signal came; 0 if none has. Signals come on any thread.
std::atomic<std::int64_t> first_signal = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler must not wait");

bool is_held = false;
bool is_protecting = false;
std::array<struct sigaction, ending_signals.size()> before{};

thread_local const InterruptSource* source_of_thread = nullptr;

std::int64_t nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void on_ending_signal(int signal) {
    const std::int64_t now = nanoseconds();
    std::int64_t first = 0;
    if (first_signal.compare_exchange_strong(first, now) || now - first < repeat_window) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // takes effect when this handler returns
}

}  // namespace

InterruptGuard::InterruptGuard() {
    is_held = true;
    first_signal = 0;
}

void InterruptGuard::protect() {
    if (!is_held || is_protecting) return;
    is_protecting = true;
    struct sigaction action {};
    action.sa_handler = on_ending_signal;
    action.sa_flags = SA_RESTART;
    for (std::size_t k = 0; k < ending_signals.size(); ++k) {
        sigaction(ending_signals[k], nullptr, &before[k]);
        if (before[k].sa_handler != SIG_IGN) sigaction(ending_signals[k], &action, nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t k = 0; is_protecting && k < ending_signals.size(); ++k) {
        sigaction(ending_signals[k], &before[k], nullptr);
    }
    is_held = is_protecting = false;
    first_signal = 0;
}

bool InterruptGuard::requested() {
    return first_signal != 0 || (source_of_thread != nullptr && source_of_thread->requested_());
}

InterruptSource::InterruptSource(std::function<bool()> requested)
    : requested_(std::move(requested)), outer_(std::exchange(source_of_thread, this)) {}

InterruptSource::~InterruptSource() {
    source_of_thread = outer_;
}

}  // namespace stiefel::cli
