#pragma once

#include "stiefel/core/types.hpp"

#include <chrono>
#include <thread>

namespace stiefel::test {

/// A monitor that makes every iteration take this long at least, so that no more than limit / seconds + 1 fit below a
/// time limit, however fast or slow the machine is.
class SlowMonitor {
public:
    explicit SlowMonitor(double seconds) : seconds_(seconds) {}

    template <class Progress>
    bool operator()(const Progress&) const {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
        return true;
    }
    Size most_iterations(double time_limit) const { return static_cast<Size>(time_limit / seconds_) + 1; }

private:
    double seconds_;
};

}  // namespace stiefel::test
