#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/serial.hpp"

#include <string>

namespace stiefel::cli {

/// The name of this machine's processor, for reports.
std::string processor_name();

/// The name of what a backend computes on, for reports.
std::string device_name(const Serial&);
std::string device_name(const OpenMP&);
std::string device_name(const Cuda&);

/// The software that stands between the program and the device: "CUDA 13.0, driver for 13.1"; empty on the host.
std::string device_software(const Serial&);
std::string device_software(const OpenMP&);
std::string device_software(const Cuda&);

/// Whether `bytes` that are used again and again stay in the caches of what the backend computes on.
bool fits_in_cache(const Serial&, Size bytes);
bool fits_in_cache(const OpenMP&, Size bytes);
bool fits_in_cache(const Cuda&, Size bytes);

/// Measured bytes per second that the backend's threads read from memory, over an array of twice `bytes` but not more
/// than 256 MiB: larger than the caches if `bytes` is, and no more than a solve with a matrix of that size takes
/// anyway.
double measured_bandwidth(const Serial&, Size bytes);
double measured_bandwidth(const OpenMP&, Size bytes);
/// On a device: of a copy, what is read and written counted.
double measured_bandwidth(const Cuda&, Size bytes);

/// Measured floating-point operations per second of the backend's threads in T, float or double, on registers: see
/// peak_flops.
template <class T>
double measured_peak(const Serial&);
template <class T>
double measured_peak(const OpenMP&);
template <class T>
double measured_peak(const Cuda&);

/// The most memory that this process has held so far, mapped files included.
Size peak_memory_bytes();

}  // namespace stiefel::cli
