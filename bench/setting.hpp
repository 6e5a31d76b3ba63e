#pragma once

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/problem_list.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// What the subcommands have in common: `[--threads N] [PROBLEM SIZE ...]`.
struct Setting {
    int threads = 0;
    std::string problem;
    std::vector<std::string> sizes;
};

/// Throws InvalidArgument that names the argument.
Setting parse_setting(const std::vector<std::string>& arguments, Setting defaults);

/// The matrix of the setting.
HostCsr<double> make_matrix(OpenMP& backend, const Setting& setting);

/// "poisson3d 160: 4096000 rows, 28518400 nonzeros, 2 threads"
std::string describe(const Setting& setting, const HostCsr<double>& a, int threads);

/// An array of four times the last-level cache, or 1 GiB, to measure the read bandwidth with.
ReadProbe read_probe(int threads);

}  // namespace stiefel::bench
