#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/grid_transfer.hpp"
#include "stiefel/preconditioner/amg/rigid_body_modes.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace stiefel::amg {

struct NearNullSpace;

struct SetupOptions {
    /// Unknowns at each node, those of a node one behind the other; 0: what the coordinates say, else
    /// find_components().
    Index block_size = 0;
    /// Of the nodes, for rigid-body modes; looked at during set-up only.
    Coordinates coordinates = {};
    /// The modes that coarse levels are to hold, in place of those of the two above; looked at during set-up only.
    const NearNullSpace* near_null_space = nullptr;
    std::string_view coarsening = "auto";     ///< of coarsenings.hpp
    std::string_view smoother = "chebyshev";  ///< of smoothers.hpp
    std::string_view cycle = "auto";          ///< of cycles.hpp
    Index coarsest_rows = 200;                ///< a matrix of so many rows is inverted
    int most_levels = 25;
    Size gathered_rows = 0;    ///< a level of so many lies with every rank whole; 0: as suits the backend (RankAmg). On
                               ///< GPUs all but the finest do
    bool for_updates = false;  ///< Amg::update_values() may be called; transfers stay in memory in double precision
};

class Coarsening;

/// What a level of the hierarchy is made of.
struct Level {
    const HostCsr<double>& a;
    const HostVector<double>& diagonal;
    const HostVector<double>& inverse_roots;         ///< of the diagonal
    double spectral_radius;                          ///< of D^-1 A: an upper bound
    SharedTransfer<HostMemory> transfer;             ///< to the next level; none on the coarsest
    const HostVector<double>* coarse_inverse_roots;  ///< of the next level's diagonal; none on the coarsest
    const HostCsr<double>* inverse;                  ///< of A, on the coarsest level if it is small enough
    Index block_size;                                ///< unknowns at each node of the finest level
};

/// Seconds of the steps of the setup, of all levels together.
struct SetupSeconds {
    double aggregate = 0;  ///< strength and aggregation
    double prolongate = 0;
    double product = 0;   ///< P' A P
    double smoother = 0;  ///< bounds of the spectrum
    double coarsest = 0;
    double convert = 0;  ///< into what the cycle works with

    SetupSeconds& operator+=(const SetupSeconds& more) {
        aggregate += more.aggregate;
        prolongate += more.prolongate;
        product += more.product;
        smoother += more.smoother;
        coarsest += more.coarsest;
        convert += more.convert;
        return *this;
    }

    std::vector<PreconditionerDetails::Step> listed() const {
        return {{"aggregate", aggregate}, {"prolongate", prolongate}, {"product", product},
                {"smoother", smoother},   {"coarsest", coarsest},     {"convert", convert}};
    }
};

/// How reports call the near null space of these options, where nodes have so many unknowns.
inline std::string_view near_null_space_name(const SetupOptions& options, Index block_size) {
    if (options.near_null_space != nullptr) return "given";
    if (options.coordinates.dimensions > 0) return "rigid-body modes";
    return block_size == 1 ? "constant" : "a constant a component";
}

/// Of each entry the square root, or its reciprocal.
HostVector<double> roots(OpenMP&, const HostVector<double>& diagonal, bool inverse);

/// The largest over the smallest of the diagonal's entries and 1. Throws InvalidArgument, naming the row, unless all
/// are positive.
double diagonal_spread(OpenMP&, const HostCsr<double>& a);

/// The largest Ritz value of a level's scaled matrix, by Lanczos.
using RitzValueOf = std::function<double(const ScaledCsr<double>&)>;

/// Builds levels from the finest to the coarsest and hands each to `keep` as soon as it is complete; what keep() does
/// not copy is freed. A_c = P' A P
/// (Galerkin), or a multiple of it (coarsen_by_pairs). Ends where a matrix has at most coarsest_rows, or where
/// aggregation no longer shrinks it by a fifth. Deterministic for any number of threads. Throws InvalidArgument, naming
/// the row, unless A is square with a positive finite diagonal, and where block size or coordinates do not fit it.
///
/// coarsening: made if there is none; otherwise that of another A with the same pattern, whose transfers are taken.
/// ritz_value: asked for before a level is coarsened if its spectrum has to be bounded so; by products with A where
/// there is no such function.
SetupSeconds build_hierarchy(OpenMP&, const HostCsr<double>& a, const SetupOptions& options,
                             std::unique_ptr<Coarsening>& coarsening, const std::function<void(const Level&)>& keep,
                             const RitzValueOf& ritz_value = {});

}  // namespace stiefel::amg
