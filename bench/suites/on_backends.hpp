#pragma once

#include "bench/suites/case_record.hpp"
#include "bench/suites/suite_options.hpp"

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

#include <memory>

namespace stiefel::bench {

inline Labels backend_labels(const Serial&) {
    return {{"backend", "serial"}, {"threads", Size{1}}};
}
inline Labels backend_labels(const OpenMP& backend) {
    return {{"backend", "openmp"}, {"threads", Size{backend.threads()}}};
}
inline Labels backend_labels(const Cuda&) {
    return {{"backend", "cuda"}};
}

/// f(std::shared_ptr<Backend>) for the host's, with each number of threads.
template <class F>
void on_host_backends(const SuiteBackends& backends, F&& f) {
    if (backends.serial) f(std::make_shared<Serial>());
    if (!backends.openmp) return;
    for (const int threads : backends.threads) f(std::make_shared<OpenMP>(threads));
}

/// And for the device, if it is to be measured.
template <class F>
void on_device([[maybe_unused]] const SuiteBackends& backends, [[maybe_unused]] F&& f) {
#ifdef STIEFEL_HAS_CUDA
    if (backends.cuda) f(backends.cuda);
#endif
}

}  // namespace stiefel::bench
