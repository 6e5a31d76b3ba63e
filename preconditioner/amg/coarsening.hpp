#pragma once

#include "stiefel/preconditioner/amg/grid_transfer.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/amg/near_null_space.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace stiefel::amg {

/// What leads from a level to the next.
struct CoarserLevel {
    SharedTransfer<HostMemory> transfer;
    HostCsr<double> a;            ///< P' A P (Galerkin), or a multiple of it
    HostVector<double> diagonal;  ///< of it, positive
};

/// Makes the levels one after another.
class Coarsening {
public:
    explicit Coarsening(Index block_size) : block_size_(block_size) {}
    virtual ~Coarsening() = default;
    Coarsening(const Coarsening&) = delete;
    Coarsening& operator=(const Coarsening&) = delete;

    Index block_size() const { return block_size_; }  ///< unknowns at each node of the finest level

    /// The level below that of A; none where aggregation no longer shrinks it by a fifth. To be called with the finest
    /// A first and with what it returned afterwards. radius: bounds the spectrum of D^-1 A. Adds to seconds.
    virtual std::optional<CoarserLevel> coarsen(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal,
                                                double radius, SetupSeconds& seconds) = 0;

    /// The levels that follow are of another A with the same pattern, and get the transfers of those before. Only
    /// where these were kept.
    virtual void begin_again() = 0;
    virtual Size bytes() const = 0;  ///< of what is kept for that

private:
    Index block_size_;
};

/// Nodes of one unknown, with the constant as near null space. finest: of coarsenings.hpp, for the finest level.
/// for_updates: begin_again() may be called.
std::unique_ptr<Coarsening> scalar_coarsening(std::string_view finest, bool for_updates);
/// Any other.
std::unique_ptr<Coarsening> block_coarsening(NearNullSpace, bool for_updates);

inline constexpr double least_shrinking = 0.8;
/// A coarse matrix that is too large to be inverted has to do with smoothing.
inline constexpr Index most_inverted_rows = 1500;

/// The unknowns a node that block size or coordinates say, where the matrix has n rows; 0: to be found.
Index said_block_size(Index n, const SetupOptions&);
/// Throws InvalidArgument where blocks of that size, or the coordinates, do not fit n rows.
void check_blocks(Index n, Index block, const SetupOptions&, Size first_node = 0);
/// Throws InvalidArgument where there is no such coarsening, or not for blocks of that size.
void check_coarsening(Index block, const SetupOptions&);

HostVector<double> diagonal_of(OpenMP&, const HostCsr<double>& a);
/// Throws InvalidArgument, naming the row, unless all are positive and finite. first: the number of the first.
void check_positive(OpenMP&, const HostVector<double>& diagonal, Size first = 0);

}  // namespace stiefel::amg
