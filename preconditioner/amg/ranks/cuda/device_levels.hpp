#pragma once

#include "stiefel/preconditioner/amg/cycle.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <optional>
#include <vector>

namespace stiefel::amg {

/// The levels of multigrid of all ranks, as a cycle works with them, and what is known of them.
template <class T, class S>
struct DeviceLevels {
    struct Level {
        CycleLevel<Cuda, S> level;
        Size rows;      ///< of all ranks
        Size nonzeros;  ///< likewise
        double seconds;
    };

    std::vector<Level> levels = {};
    DeviceVector<T> scale = {};  ///< a_ii^-1/2 of own rows
    PreconditionerDetails::Multigrid about = {};
    SetupSeconds seconds = {};
};

/// Sets them up on the GPUs. The finest level is shared where that gains anything (gains_by_sharing), all others each
/// GPU has whole. Where pairs lead to the second level each makes those of its own rows, and only that level is brought
/// together; else A is, and all do the same set-up, as one GPU alone would. So aggregates are those of one process,
/// or, of pairs, of rows of one rank.
///
///   a      this rank's rows; own: their own columns on the GPU, or nullptr
///
/// None, in all ranks, where cores have to set up: what does not suit a device (suits_device), ranks without rows, a
/// matrix that one GPU does not hold and that does not suit pairs. All ranks call it at once; throws as
/// build_hierarchy(), in all of them.
template <class T, class S>
std::optional<DeviceLevels<T, S>> levels_on_devices(Cuda&, CudaWorld&, const RowBlocks& rows,
                                                    const SplitRows<double>& a, const DeviceCsr<double>* own,
                                                    const SetupOptions&);

/// Whether levels_on_devices() is to be expected to serve a matrix of so many rows and entries, of all ranks: it is
/// known only when it has looked at it. All ranks call it at once.
bool may_set_up_on_devices(const Cuda&, Size n_rows, Size nnz, const SetupOptions&);

}  // namespace stiefel::amg
