#pragma once

#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/amg/near_null_space.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_products.hpp"

#include <optional>
#include <string_view>

namespace stiefel::amg {

/// A level while the next one is made of it.
struct RankStage {
    const RowBlocks& rows;
    const SplitRows<double>& split;
    const HostCsr<double>& a;  ///< the same, columns of others behind its own
    const HostVector<double>& diagonal;
    double radius;  ///< bounds the spectrum of D^-1 A
    Ghosts& nodes;  ///< those others
};

struct RankCoarser {
    RowBlocks rows;
    RankProducts products;
    std::string_view coarsening;  ///< of coarsenings.hpp
};

/// Makes the levels of a matrix whose rows lie with several ranks one after another, as Coarsening does in one process:
/// aggregates are of nodes of one rank, and prolongations are smoothed across, so that what is constant stays so at the
/// seams. All ranks make theirs, and call it, at once; the backend has joined them.
class RankCoarsening {
public:
    /// Throws InvalidArgument, in all ranks, where nodes of so many unknowns as the options say do not fit their rows.
    RankCoarsening(OpenMP&, Ranks&, const SetupOptions&, const RowBlocks& rows, const SplitRows<double>& a);

    /// Of the level at hand, in this rank's rows; without values where it has one mode, the constant.
    const NearNullSpace& near_null_space() const { return space_; }
    Index block_size() const { return space_.block; }

    /// None where aggregation no longer shrinks it by a fifth. Throws NotDefinite, in all ranks.
    std::optional<RankCoarser> coarsen(OpenMP&, Ranks&, const RankStage&, SetupSeconds&);

private:
    struct Prolonged {
        RankProlongation p;
        double divisor = 1;
        std::string_view coarsening;
    };

    std::optional<Prolonged> by_pairs(OpenMP&, Ranks&, const RankStage&, SetupSeconds&) const;
    std::optional<Prolonged> smoothed(OpenMP&, Ranks&, const RankStage&, SetupSeconds&);

    std::string_view finest_;
    bool is_finest_ = true;
    Size finest_rows_ = 0;
    NearNullSpace space_;
};

}  // namespace stiefel::amg
