#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <optional>

namespace stiefel::amg {

/// The rows of a rank on its GPU.
struct RankRows {
    const RowBlocks& blocks;
    const DeviceCsr<double>& own;  ///< in own columns
    const SplitRows<double>& split;
    const DeviceMatrix& found;  ///< of own
};

/// What pairs of own rows lead to.
struct PairedRows {
    double spectral_radius;          ///< of D^-1 A of all ranks: an upper bound
    RowBlocks rows;                  ///< of the next level
    DeviceCsr<double> prolongation;  ///< of own rows, all columns of the next level
    DeviceCsr<double> restriction;   ///< own rows of the next level, own columns
    DeviceCsr<double> a;             ///< of the next level: own rows and columns
    SplitRows<double> beyond;        ///< and what its rows have beside these
};

/// The next level by pairs of pairs as RankCoarsening makes it, each GPU by itself but for what its rows have in
/// columns of others, which its host adds up. None, in all ranks, where smoothed aggregation suits the matrix better,
/// pairs shrink it too little, its spectrum is not bounded closely by Gershgorin's theorem, or a coarse diagonal is to
/// be judged by a host. All ranks call it at once.
std::optional<PairedRows> rows_by_pairs(Cuda&, CudaWorld&, const RankRows&, const SetupOptions&, SetupSeconds&);

}  // namespace stiefel::amg
