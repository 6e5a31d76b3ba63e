#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/core/types.hpp"

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <utility>

namespace stiefel::python {

namespace nb = nanobind;

/// What stands between a solve, which runs without Python's lock, and Python: it tells a callback of iterations, looks
/// for signals, and keeps what was raised until the solve has ended.
class Watch {
public:
    /// on_iteration(iteration, relative residual), or None.
    explicit Watch(nb::object on_iteration) : on_iteration_(std::move(on_iteration)) {}

    /// Whether the solve goes on. To be called without Python's lock.
    bool goes_on(Size iteration, double relative_residual) {
        if (raised_) return false;
        const bool is_new = std::exchange(told_, iteration) != iteration;
        if (is_new && !on_iteration_.is_none()) guarded([&] { on_iteration_(iteration, relative_residual); });
        return !signalled();
    }

    /// Whether something was raised, or a signal has come whose handler raises; looked for fifty times a second.
    bool signalled() {
        constexpr double interval = 0.02;
        if (raised_) return true;
        if (const double now = since_start_.seconds(); now >= next_) {
            next_ = now + interval;
            guarded([] {
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
            });
        }
        return raised_.has_value();
    }

    /// Someone else's function on vectors; what it raises is kept, and thrown as well, as nothing can be done without
    /// it.
    template <class F>
    void call(F&& function) {
        const nb::gil_scoped_acquire lock;
        try {
            function();
        } catch (nb::python_error& error) {
            raised_.emplace(std::move(error));
            throw Raised();
        }
    }

    /// What was raised, or None. With Python's lock.
    nb::object raised() const { return raised_ ? nb::borrow(raised_->value()) : nb::none(); }

    /// Ends a solve from within a function; what was raised is the watch's.
    struct Raised {};

private:
    template <class F>
    void guarded(F&& ask) {
        const nb::gil_scoped_acquire lock;
        try {
            ask();
        } catch (nb::python_error& error) {
            raised_.emplace(std::move(error));
        }
    }

    nb::object on_iteration_;
    std::optional<nb::python_error> raised_;
    Size told_ = -1;
    Stopwatch since_start_ = {};
    double next_ = 0;
};

}  // namespace stiefel::python
