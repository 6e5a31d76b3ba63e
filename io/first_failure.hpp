#pragma once

#include "stiefel/core/types.hpp"

#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

namespace stiefel {

/// The exception of the earliest piece of work among those that failed: none may leave a parallel region by itself.
class FirstFailure {
public:
    /// Calls f() and keeps what it throws.
    template <class F>
    void keep(Size piece, F&& f) noexcept {
        try {
            f();
        } catch (...) {
            record(piece, std::current_exception());
        }
    }
    bool is_before(Size piece) const { return piece_.load(std::memory_order_relaxed) < piece; }
    std::exception_ptr exception() const { return exception_; }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    void record(Size piece, std::exception_ptr exception) {
        const std::scoped_lock lock(mutex_);
        if (piece >= piece_.load(std::memory_order_relaxed)) return;
        piece_.store(piece, std::memory_order_relaxed);
        exception_ = std::move(exception);
    }

    std::mutex mutex_;
    std::atomic<Size> piece_{std::numeric_limits<Size>::max()};
    std::exception_ptr exception_;
};

}  // namespace stiefel
