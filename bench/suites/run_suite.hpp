#pragma once

#include "bench/suites/suite.hpp"
#include "bench/suites/suite_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace stiefel::bench {

/// What a run of a suite says while it goes on, and where it is told to end; tests have their own.
struct SuiteSurroundings {
    std::function<bool()> stops;                            ///< asked between samples
    std::function<void(const std::string& text)> show;      ///< the line of progress; empty: nothing is shown
    std::function<void(const std::string& text)> complain;  ///< of what is wrong: a line each
    double save_interval = 2;                               ///< seconds between two times that the file is written
};

struct SuiteOutcome {
    std::size_t measured = 0;  ///< in this run
    std::size_t kept = 0;      ///< of an earlier one
    std::size_t refused = 0;
    std::size_t wrong = 0;  ///< of those refused: kernels with a wrong result
    bool interrupted = false;
};

/// Measures the cases that the file has not got, in order, and writes the file every few seconds and at the end,
/// however it comes. Throws FileError where it cannot be written.
SuiteOutcome run_cases(std::vector<Case> cases, const Sampler& sampler, SuiteFile& file,
                       const SuiteSurroundings& surroundings);

/// stiefel-bench suite NAME [OPTIONS]. Returns 0; 1 where a result was wrong; 130 where a signal ended it.
int run_suite(const std::vector<std::string>& arguments);

}  // namespace stiefel::bench
