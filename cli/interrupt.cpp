#include "stiefel/cli/interrupt.hpp"

namespace stiefel::cli {

namespace {

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int) {
    stop_requested = 1;
}

void catch_once(int signal, struct sigaction& before) {
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
    stop_requested = 0;
    catch_once(SIGINT, before_interrupt_);
    catch_once(SIGTERM, before_terminate_);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &before_interrupt_, nullptr);
    sigaction(SIGTERM, &before_terminate_, nullptr);
}

bool InterruptGuard::requested() {
    return stop_requested != 0;
}

}  // namespace stiefel::cli
