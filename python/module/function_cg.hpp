#pragma once

#include "stiefel/cli/kept/kept_matrix.hpp"

namespace stiefel::python {

/// stiefel::cg with A and M given as functions on vectors of the host; without M none. On all cores but for the
/// functions.
template <class T>
SolveResult function_cg(const cli::HostFunction& a, const cli::HostFunction& m, cli::LentArray b, cli::LentArray x,
                        const CgOptions& options);

extern template SolveResult function_cg<float>(const cli::HostFunction&, const cli::HostFunction&, cli::LentArray,
                                               cli::LentArray, const CgOptions&);
extern template SolveResult function_cg<double>(const cli::HostFunction&, const cli::HostFunction&, cli::LentArray,
                                                cli::LentArray, const CgOptions&);

}  // namespace stiefel::python
