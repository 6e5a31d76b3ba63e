#pragma once

#include "bench/suites/suite.hpp"

#include "stiefel/core/timing.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// How far a suite has come, and how long the rest will take if it goes on at this rate.
class SuiteProgress {
public:
    /// Of these cases, `before` others having been measured by an earlier run.
    SuiteProgress(const std::vector<Case>& cases, std::size_t before);

    /// "[####------]  12 of 480  eta 1 min 20 s  matrix cant, backend openmp, ..."
    std::string text(const Case& next) const;
    void done(const Case& one);

private:
    std::size_t before_;
    std::size_t n_all_;
    std::size_t n_done_ = 0;
    double weight_all_ = 0;
    double weight_done_ = 0;
    Stopwatch since_start_ = {};
};

}  // namespace stiefel::bench
