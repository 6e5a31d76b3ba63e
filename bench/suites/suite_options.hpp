#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiefel::bench {

/// Where cases run.
struct SuiteBackends {
    bool serial = true;
    bool openmp = true;
    std::vector<int> threads = {};         ///< of OpenMP
    std::shared_ptr<Cuda> cuda = nullptr;  ///< null: not on a device
};

/// What `stiefel-bench suite NAME` is told.
struct SuiteOptions {
    std::string suite = {};
    bool quick = false;
    bool restart = false;
    SuiteBackends backends = {};
    std::string output = {};    ///< the suite's JSON
    std::string matrices = {};  ///< a folder of Matrix Market files; empty: the suite's own
    int samples = 0;            ///< 0: the suite's own
    double limit_seconds = 0;   ///< of one call
    Size limit_memory = 0;      ///< bytes that a case may take
    Size largest_nnz = 0;
    std::vector<std::string> command = {};  ///< as it was given, without the program
};

/// Throws InvalidArgument that names the argument and the way out.
SuiteOptions parse_suite_options(const std::vector<std::string>& arguments);

/// The page of `stiefel-bench suite --help`.
std::string suite_help();

}  // namespace stiefel::bench
