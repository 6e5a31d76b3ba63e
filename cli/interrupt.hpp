#pragma once

#include <csignal>

namespace stiefel::cli {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM only asks the running solve to stop, so that x and the report
/// are still written; the second ends the program at once, as does the first at any other time. A signal that the
/// program was started with as ignored (nohup, background jobs) stays ignored.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    /// Whether a signal has come since the guard was made.
    static bool requested();

private:
    struct sigaction before_interrupt_ {};
    struct sigaction before_terminate_ {};
};

}  // namespace stiefel::cli
