#include "stiefel/cli/machine.hpp"

#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/peak_flops.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

namespace stiefel::cli {

namespace {

double host_bandwidth(int threads, Size bytes) {
    return read_bandwidth(threads, std::min(2 * bytes, Size{256} << 20));
}

}  // namespace

// "model name : Intel(R) Xeon(R) Processor" of /proc/cpuinfo; the architecture where there is no such line.
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    utsname system{};
    return uname(&system) == 0 ? system.machine : "unknown processor";
}

std::string device_name(const Serial&) {
    return processor_name();
}

std::string device_name(const OpenMP&) {
    return processor_name();
}

std::string device_software(const Serial&) {
    return {};
}

std::string device_software(const OpenMP&) {
    return {};
}

bool fits_in_cache(const Serial&, Size bytes) {
    return bytes <= last_level_cache_bytes();
}

bool fits_in_cache(const OpenMP&, Size bytes) {
    return bytes <= last_level_cache_bytes();
}

double measured_bandwidth(const Serial&, Size bytes) {
    return host_bandwidth(1, bytes);
}

double measured_bandwidth(const OpenMP& backend, Size bytes) {
    return host_bandwidth(backend.threads(), bytes);
}

template <class T>
double measured_peak(const Serial&) {
    return peak_flops<T>(1);
}

template <class T>
double measured_peak(const OpenMP& backend) {
    return peak_flops<T>(backend.threads());
}

template double measured_peak<double>(const Serial&);
template double measured_peak<float>(const Serial&);
template double measured_peak<double>(const OpenMP&);
template double measured_peak<float>(const OpenMP&);

Size peak_memory_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return Size{usage.ru_maxrss} * 1024;
}

}  // namespace stiefel::cli
