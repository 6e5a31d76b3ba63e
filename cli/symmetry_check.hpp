#pragma once

#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// Throws UnsuitableInput naming the first entry that differs from its mirror image by more than rounding explains.
/// What rounding explains is noted. `path` is for messages, and who needs it: "conjugate gradients need".
template <class T>
void check_symmetric(OpenMP& backend, const HostCsr<T>& a, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes);

/// The same of a matrix that has been compared already.
void check_symmetric(const SymmetryInfo& symmetry, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes);

/// The same for a matrix on a device, where most are found to be exactly symmetric; others are looked at on the host.
template <class T>
void check_symmetric(Cuda& backend, OpenMP& host, const DeviceCsr<T>& a, const std::string& path,
                     std::string_view who_needs, std::vector<std::string>& notes) {
    if (!is_exactly_symmetric(backend, a)) check_symmetric(host, to_host(backend, a), path, who_needs, notes);
}
template <class T>
void check_symmetric(OpenMP&, OpenMP& host, const HostCsr<T>& a, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes) {
    check_symmetric(host, a, path, who_needs, notes);
}

/// Throws UnsuitableInput naming the entry that differs most from its mirror image, if any differs at all.
template <class T>
void check_exactly_symmetric(OpenMP& backend, const HostCsr<T>& a, const std::string& path);

}  // namespace stiefel::cli
