#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/solver/cuda/row_slots.cuh"

#include <array>
#include <span>

namespace stiefel {

/// How a system is spread over the blocks of the resident kernel. Block b has slots b * slots .. (b + 1) * slots, which
/// it numbers from 0; the columns of its entries that belong to other blocks, its halo, follow in its numbering.
template <class T>
struct ResidentPlan {
    int blocks = 0;
    Index slots = 0;  ///< of a block, but for the last
    Index total_slots = 0;
    Index max_halo = 0;         ///< of any block
    Index max_entries = 0;      ///< of any block
    DeviceVector<Index> row;    ///< of a slot; n_rows for an empty one
    DeviceVector<Index> start;  ///< by block: slots + 1 offsets of its slots' entries
    DeviceVector<Size> base;    ///< by block: where its entries begin
    DeviceVector<Index> col;    ///< in the numbering of the block
    DeviceVector<T> value;
    DeviceVector<Index> n_halo;  ///< by block
    DeviceVector<Index> halo;    ///< by block: halo_capacity rows
};

/// Rows and halo that a block may have: three quarters of the places in the table that numbers them.
inline constexpr Index resident_table = 8192;
inline constexpr Index resident_rows = resident_table / 4 * 3;

/// Plans whose sizes the host waits for once.
template <class T>
class StartedPlans {
public:
    /// So many plans.
    StartedPlans(Cuda& backend, Size plans);

    /// The next: spreads a square system over `blocks` blocks. Complete when it is finished; max_halo is resident_rows
    /// or more then where it does not fit.
    template <class Rows>
    ResidentPlan<T> start(Cuda& backend, const Rows& rows, Index total_slots, Size n_stored, int blocks);

    /// All that were started, in that order; plans that were not, or are known not to fit, are passed over.
    void finish(Cuda& backend, std::span<ResidentPlan<T>* const> plans) const;

private:
    DeviceVector<Index> maxima_;  // halo and entries, of each
    Size started_ = 0;            // kernels
};

/// One by itself.
template <class T, class Rows>
ResidentPlan<T> make_resident_plan(Cuda& backend, const Rows& rows, Index total_slots, Size n_stored, int blocks) {
    StartedPlans<T> started(backend, 1);
    ResidentPlan<T> plan = started.start(backend, rows, total_slots, n_stored, blocks);
    started.finish(backend, std::array{&plan});
    return plan;
}

}  // namespace stiefel
