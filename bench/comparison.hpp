#pragma once

#include "stiefel/core/bandwidth.hpp"
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
    std::string problem;  ///< "poisson3d 160: 4096000 rows, 28518400 nonzeros, 2 threads"
    std::vector<Contender> contenders;
    const ReadProbe* bandwidth = nullptr;  ///< what rates are fractions of, timed with the contenders; null: nothing
};

/// Times all contenders with Google Benchmark, interleaved at random so that a noisy machine disturbs all alike, and
/// prints for each the median and spread of one job, GB/s and GFLOP/s by its minimal work, the fraction of the read
/// bandwidth (the median of passes among the others'), and the speed-up over the best reference.
/// --benchmark_out=FILE keeps every repetition in JSON, with commit, compiler and flags.
/// Returns the median seconds of a job of each contender, NaN where --benchmark_filter left it out.
std::vector<double> run(const Comparison& comparison);

}  // namespace stiefel::bench
