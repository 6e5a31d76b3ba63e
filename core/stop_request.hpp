#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/timing.hpp"

#include <functional>

namespace stiefel {

/// Whether what takes long is to be given up; asked by the thread that has called it alone. Empty: it is not.
using StopRequest = std::function<bool()>;

/// It was.
class GivenUp : public Error {
public:
    using Error::Error;
};

/// Asks at first, and then a hundred times a second however often it is called.
class StopWatcher {
public:
    explicit StopWatcher(const StopRequest& stops) : stops_(stops) {}

    bool stops() {
        constexpr double rarely = 0.01;
        if (!stops_ || (was_asked_ && since_.seconds() < rarely)) return false;
        was_asked_ = true;
        since_.restart();
        return stops_();
    }

private:
    const StopRequest& stops_;
    Stopwatch since_;
    bool was_asked_ = false;
};

}  // namespace stiefel
