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

/// A monitor that takes so long over one iteration: where that is the time limit, a host's run ends after it at the
/// latest, however fast or slow the machine is. Remembers the last iteration that it was told of.
class SlowAt {
public:
    SlowAt(Size iteration, double seconds) : iteration_(iteration), seconds_(seconds) {}

    template <class Progress>
    bool operator()(const Progress& progress) {
        last_ = progress.iteration;
        if (last_ == iteration_) std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
        return true;
    }
    Size last() const { return last_; }

private:
    Size iteration_;
    double seconds_;
    Size last_ = -1;
};

}  // namespace stiefel::test
