#pragma once

#include "bench/suites/suite_file.hpp"
#include "bench/suites/suite_options.hpp"

namespace stiefel::bench {

/// This machine and this build, begun now; bandwidths are not measured yet, and no references known.
SuiteHeader suite_header(const SuiteOptions& options);

/// Bytes per second of a copy by all cores, read and written both counted: the best of a few between two arrays that
/// are four times the last-level cache together, or 512 MiB; within half of `limit_bytes`.
double host_copy_bandwidth(Size limit_bytes);

}  // namespace stiefel::bench
