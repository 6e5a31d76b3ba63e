#pragma once

#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// Throws UnsuitableInput naming the first entry that differs from its mirror image by more than rounding explains.
/// What rounding explains is noted. `path` is for messages, and who needs it: "conjugate gradients need".
void check_symmetric(const SymmetryInfo& symmetry, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes);

/// The same of a matrix that is compared now, where it lies.
template <class B, class Csr>
void check_symmetric(B& backend, const Csr& a, const std::string& path, std::string_view who_needs,
                     std::vector<std::string>& notes) {
    check_symmetric(check_symmetry(backend, a), path, who_needs, notes);
}

/// Throws UnsuitableInput naming the entry that differs most from its mirror image, if any differs at all.
template <class T>
void check_exactly_symmetric(OpenMP& backend, const HostCsr<T>& a, const std::string& path);

}  // namespace stiefel::cli
