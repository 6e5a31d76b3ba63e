#pragma once

#include "stiefel/preconditioner/triangular/kernel_list.hpp"

/// The rungs of the ladder, one file each; kernel_list.cpp says what they are.
namespace stiefel::triangular {

template <class T>
void solve_by_levels(Cuda& backend, const Substitution<T>& s);
template <class T>
void solve_sync_free(Cuda& backend, const Substitution<T>& s);
template <class T>
void solve_self_timed(Cuda& backend, const Substitution<T>& s);
template <class T>
void solve_in_one_block(Cuda& backend, const Substitution<T>& s);

}  // namespace stiefel::triangular
