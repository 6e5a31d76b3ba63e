#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/world/boundary_slices.hpp"
#include "stiefel/world/cuda/boundary_kernels.hpp"
#include "stiefel/world/cuda/cuda_world.hpp"
#include "stiefel/world/halo.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace stiefel {

class SideBranch;

template <class B, class T>
class BoundaryRows;

/// Of a GPU: x goes to others by letters into their memory, each number sealed with the number of the product, and the
/// kernel that adds a boundary row waits for the letters that it reads and for no others. The product of the own
/// columns starts beside the kernel that sends, not behind it; or one kernel does all of a product. What goes to a GPU
/// that is not reached is packed into a parcel that hosts carry, of which letters are made there. There is room for the
/// letters of two products: who sends for the next but one has read all of this one, because neighbours need each
/// other's numbers; where they do not (a matrix whose pattern is not symmetric), all ranks meet before each product.
template <class T>
class BoundaryRows<Cuda, T> {
public:
    BoundaryRows(Cuda& backend, CudaWorld& world, const RowBlocks& blocks, SplitRows<T> split);

    Size nnz() const { return beyond_.nnz(); }
    Size bytes() const { return beyond_.bytes(); }
    Size n_rows() const { return boundary_.size(); }
    const Halo& halo() const { return halo_; }

    /// As on a host; enqueue only. A panel wider than any before makes room with all ranks: not in a loop.
    void begin(Cuda& backend, DeviceMatrix<const T> x) const;
    void finish(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha) const;
    void finish(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, double* dot) const;
    /// A whole product, y = A x and *dot = <x, y> of all ranks, by one kernel instead of three; false, and nothing is
    /// done, where these ranks or this format have none.
    bool multiply(Cuda& backend, const SpmvOperator<Cuda, T>& own, const DeviceVector<T>& x, DeviceVector<T>& y,
                  double* dot) const;

    /// Whether a kernel of each rank may go on through many products, waiting for others' in each. For a row of very
    /// many columns of others a warp would be at work too long.
    bool may_stay() const {
        constexpr Index most_of_row = 256;
        return kernels_may_wait() && longest_row_ <= most_of_row;
    }
    /// For such kernels, which all ranks start at once, before each of which all call meet_if_one_sided().
    cuda::LetterWays letter_ways() const;
    void meet_if_one_sided(Cuda& backend) const;
    /// The slices of own columns in that format, dealt out, and what letters bring to them.
    BoundarySlices<T, DeviceMemory> slices(Cuda& backend, const DeviceCompressedSell<T>& own, Index n_blocks,
                                           Index warps_of_block, Index runs) const;

    /// In place of finish(), of a vector: what comes is added to several.
    void correct(Cuda& backend, const cuda::Corrected<T>& corrected) const;

    /// Bytes that this rank has sent so far, of panels of so many columns; waits for the work enqueued before.
    Size bytes_sent(Cuda& backend, Index columns) const;

private:
    void make_room(Cuda& backend, Index columns) const;
    cuda::Addresses addresses(Index columns) const;
    cuda::Parcels parcels() const;
    void add(Cuda& backend, DeviceMatrix<const T> x, DeviceMatrix<T> y, T alpha, double* dot) const;
    /// For those of other ranks: where each has a GPU to itself, which reaches those of all others.
    bool kernels_may_wait() const { return !world_->needs_hosts() && !world_->shares_gpus(); }
    std::byte* own_box() const { return boxes_[static_cast<std::size_t>(world_->rank())]; }
    Size letters_of_round() const { return Size{halo_.n_ghosts()} * columns_; }
    template <class F>
    void with_boundary(Cuda& backend, Index columns, F&& f) const;

    CudaWorld* world_;
    Halo halo_;
    DeviceCsr<T> beyond_;
    Index longest_row_;  ///< of these
    DeviceVector<Index> boundary_;
    HostCsr<T> beyond_on_host_;  ///< the same, of which slices() is made
    HostVector<Index> boundary_on_host_;
    DeviceVector<Index> sent_;
    mutable DeviceVector<unsigned> round_;  ///< products so far
    bool is_mutual_ = true;                 ///< all ranks receive from those that they send to

    struct Neighbour {
        Halo::Share to, from;
        Size first_there;  ///< where this rank's numbers begin among its ghosts
        Size n_ghosts;     ///< that it has
        bool is_reached;
        CudaWorld::ParcelWay way = {};  ///< where it is not: parcels go both ways, if only empty ones
    };
    mutable std::vector<Neighbour> neighbours_;  ///< in the order of ranks
    mutable Index columns_ = 0;                  ///< that there is room for
    mutable std::vector<std::byte*> boxes_;
    std::shared_ptr<const SideBranch> branch_;  ///< in which x is sent
    mutable bool is_sending_ = false;           ///< since begin(), until whoever adds boundary rows
    mutable DeviceVector<T> brought_;           ///< by letters, to each boundary row
    mutable DeviceVector<unsigned> notes_;      ///< a ticket of parcels that go, and a round of each that comes
};

}  // namespace stiefel
