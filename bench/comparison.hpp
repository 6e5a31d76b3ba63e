#pragma once

#include "stiefel/core/work.hpp"

#include <functional>
#include <string>
#include <vector>

namespace stiefel::bench {

/// One way to do a job, timed beside the others.
struct Contender {
    std::string name;
    std::function<void()> run;  ///< does the job `jobs` times over
    Work work = {};             ///< of one job, the minimum: the same for all contenders of a job
    int jobs = 1;
    bool is_reference = false;  ///< others' code: ratios are against the fastest of these
};

/// Contenders for one job on one problem.
struct Comparison {
    std::string job;      ///< "spmv", "cg iteration", ...
    std::string problem;  ///< "poisson3d 160: 4.1 M rows, 28.5 M nonzeros"
    std::vector<Contender> contenders;
};

/// Times all contenders with Google Benchmark, interleaved at random so that a noisy machine disturbs all alike, and
/// prints for each the median and spread of one job, GB/s and GFLOP/s by its minimal work, the fraction of `bandwidth`
/// (bytes per second, measured in the same run; 0 if it has no meaning), and the speed-up over the best reference.
/// Contenders live as long as the comparison.
void run(const Comparison& comparison, double bandwidth);

}  // namespace stiefel::bench
