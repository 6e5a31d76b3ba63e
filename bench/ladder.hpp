#pragma once

#include "stiefel/core/work.hpp"

#include <functional>
#include <string>
#include <vector>

namespace stiefel::bench {

/// How far a result is from the reference's, relative to the sum of absolute products of each element.
struct Deviation {
    double largest = 0;
    double mean = 0;
    bool accepted = true;  ///< within the bound of error analysis; false for NaN
};

/// One way to do a job, in the order of a ladder.
struct Rung {
    std::string name;
    std::function<double()> run;           ///< does the job once and says how many seconds it took
    std::function<Deviation()> deviation;  ///< of the result of the last run
    bool is_reference = false;
    double expected_seconds = 0;  ///< rungs beyond the limit are left out; 0 = unknown
    double peak = 0;              ///< of what this rung computes with, in the table's rate; 0 = the table's
};

struct Ladder {
    std::string title;
    Work work;              ///< of one run: GFLOP/s if it has flops, else GB/s
    double peak = 0;        ///< flops or bytes per second
    std::string peak_name;  ///< "peak", "read", "copy"
    int repetitions = 9;
    double limit_seconds = 10;
    double baseline_seconds = 0;  ///< of the first CPU rung where this ladder does not hold it; 0 = our first rung
    std::vector<Rung> rungs;
};

/// Runs all rungs and prints them as a table: median time and spread, rate, speed-up over the rung above and over the
/// first, share of the best reference and of the peak, deviation. A result beyond the bound is said to be wrong and its
/// time does not count. Returns the number of wrong results.
int print(Ladder& ladder);

/// The median of `repetitions` runs after one to warm up; `spread` is (largest - smallest) / median.
double median_seconds(const std::function<double()>& run, int repetitions, double* spread = nullptr);

}  // namespace stiefel::bench
