#pragma once

#include <functional>

namespace stiefel::cli {

/// What signals that ask the program to end do to a command: Ctrl-C (SIGINT), SIGTERM and SIGUSR1 as batch systems send
/// them, SIGHUP of a terminal that is closed. At first they end the program at once, as there is nothing to lose. From
/// protect() on the first of them only asks, and requested() tells: the command ends early and writes what it has. More
/// within a second are the same request, as `timeout` sends its signal twice; a later one ends the program at once.
/// A signal that the program was started with as ignored (nohup, background jobs) stays ignored.
/// A command has one, for as long as it runs.
class InterruptGuard {
public:
    InterruptGuard();
    /// Signals do again what they did before.
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    /// To be called when there is something to lose; does nothing where no command holds a guard.
    static void protect();

    /// Whether a signal has come since protect(), or an InterruptSource of this thread says so.
    static bool requested();
};

/// For a program whose signals are its own affair: what requested() asks in this thread, besides, while the object
/// lives. One within another: the inner one is asked.
class InterruptSource {
public:
    explicit InterruptSource(std::function<bool()> requested);
    ~InterruptSource();
    InterruptSource(const InterruptSource&) = delete;
    InterruptSource& operator=(const InterruptSource&) = delete;

private:
    friend class InterruptGuard;
    std::function<bool()> requested_;
    const InterruptSource* outer_;
};

}  // namespace stiefel::cli
