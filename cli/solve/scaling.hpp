#pragma once

#include "stiefel/cli/options.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <array>
#include <string>

namespace stiefel::cli {

enum class ScaleWord { none, diagonal };

inline constexpr std::array scale_choices{Choice<ScaleWord>{"none", ScaleWord::none},
                                          Choice<ScaleWord>{"diagonal", ScaleWord::diagonal}};

/// The system D A D y = D b is solved in place of A x = b, x = D y: what D, a diagonal of powers of two, does to each.
/// Products with powers of two round nothing, so r = b - A x is D^-1 times the residual of y, bit by bit, and is known
/// wherever that is.

/// D with d_i next to 1 / sqrt(a_ii), so that the diagonal of D A D lies between 1/2 and 2. Were it even, no other D
/// would leave a condition better by more than the number of nonzeros in a row (van der Sluis 1969). a: n x n, diagonal
/// entries positive.
template <class T>
HostVector<T> diagonal_scale(const HostCsr<T>& a);

/// A := D A D. Where A is positive definite no entry of the result is above 2; one that is below the range in
/// comparison with the diagonal, some 1e-300, or 1e-38 in single precision, is lost.
template <class T>
void scale_symmetrically(OpenMP& host, const HostVector<T>& scale, HostCsr<T>& a);

/// v := D v for each of the columns of v, which lie one behind the other. False: an element has left the range.
template <class T>
bool multiply_by(const HostVector<T>& scale, HostVector<T>& v);

/// v := D^-1 v, likewise.
template <class T>
bool divide_by(const HostVector<T>& scale, HostVector<T>& v);

/// |D^-1 v| of n elements, |v| where there is no D: of a residual of y, that of x. Sums that would leave the range do
/// not; NaN if an element is.
template <class T>
double unscaled_norm(const HostVector<T>& scale, const T* v, Size n);

/// |D v|: of y, |x|.
template <class T>
double scaled_norm(const HostVector<T>& scale, const T* v, Size n);

}  // namespace stiefel::cli
