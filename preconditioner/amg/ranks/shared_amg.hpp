#pragma once

#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/world/ranks.hpp"
#include "stiefel/world/world_matrix.hpp"

namespace stiefel {

/// RankAmg, behind one type: hierarchy in single precision, unless the diagonal reaches too far for it. For Serial,
/// OpenMP and Cuda, T double and float. host: the rank's cores. columns: of the panels that it will be applied to, at
/// most. own: a.own where the backend computes, if it is there. All ranks call it at once; throws as RankAmg.
template <class B, class T>
AnyPreconditioner<B, T> shared_amg(B& backend, RanksOf<B>& ranks, const OpenMP& host, const RowBlocks& rows,
                                   const SplitRows<double>& a, const amg::SetupOptions& options, Index columns,
                                   const Csr<double, typename B::memory>* own = nullptr);

}  // namespace stiefel
