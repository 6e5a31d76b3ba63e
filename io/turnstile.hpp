#pragma once

#include "stiefel/core/types.hpp"

#include <atomic>

namespace stiefel {

/// Lets the holders of numbers 0, 1, 2, ... through one after the other, whatever threads they run on. Numbers must be
/// taken in ascending order and every number taken must come through, or later ones wait for ever.
/// (OpenMP's `ordered` says the same, but GNU's lets the next iteration in only when this one has ended, not when it
/// has left the ordered region.)
class Turnstile {
public:
    /// The next number to work on.
    Size take() { return next_.fetch_add(1, std::memory_order_relaxed); }

    /// Calls f() when all smaller numbers are through. f must not throw.
    template <class F>
    void pass(Size number, F&& f) {
        for (Size turn; (turn = turn_.load(std::memory_order_acquire)) != number;) turn_.wait(turn);
        f();
        turn_.store(number + 1, std::memory_order_release);
        turn_.notify_all();
    }

private:
    std::atomic<Size> next_{0};
    std::atomic<Size> turn_{0};
};

}  // namespace stiefel
