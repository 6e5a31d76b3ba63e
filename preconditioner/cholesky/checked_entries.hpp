#pragma once

#include "stiefel/spmv/csr.hpp"

namespace stiefel::cholesky {

/// With so much of its diagonal added a matrix that has no factor will not get one.
inline constexpr double most_shift = 1e30;

/// Throws InvalidArgument naming an entry that is not finite.
template <class T>
void require_finite(const HostCsr<T>& a);

}  // namespace stiefel::cholesky
