#pragma once

#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/neighbourhoods.hpp"
#include "stiefel/preconditioner/amg/pairs.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace stiefel::amg {

/// How often nodes are to be paired on the way from A to the next level; 0: smoothed aggregation suits it better.
/// Pairs of pairs of pairs are cubes of 2 x 2 x 2 nodes of a grid in space, so in the plane one time less. Their coarse
/// matrix has hardly more entries a row than A, takes a tenth of the work, and costs some iterations: one on grids in
/// space, half as many again on uneven graphs. Along lines, which is how an anisotropic operator couples, it costs
/// three times as many, and where nodes have many neighbours, smoothed aggregation fills up nothing.
///
/// coarsening: of coarsenings.hpp.
int pairing_passes(const Neighbourhoods& around, std::string_view coarsening);
/// Whether that need not be asked, since it is 0.
bool is_surely_smoothed(Index n_rows, Size nnz, std::string_view coarsening);

inline constexpr double over_correction = 1.8;

/// P'A P / over_correction becomes P'(A - S) P / over_correction + P'S P, S the diagonal of the row sums of A where
/// these are positive: a term without derivatives, or the coupling to a boundary, has the energy that it should have on
/// what is constant on aggregates. One iteration in ten less on grids, and as many for a step of time as for none.
/// beside: the sums of what the rows have beside `coarse`, if anything.
void keep_row_sums(OpenMP&, HostCsr<double>& coarse, const HostVector<double>* beside = nullptr);

/// Couplings of P'A P that are weak (strength.hpp) keep what they were before it was divided, and the diagonal the sum
/// of its row. Pairs do not cross them, so they are no further apart on the coarse level; divided as well, they would
/// have too little energy, and M of A's worst eigenvectors, bricks of a large coefficient in a small one, would
/// make 1.4 times what it should: jump_diffusion3d 100^3 takes 10 to 12 iterations instead of 11 to 14. Those that are
/// positive are left as they are: what is left out of A's energy stays below it. The diagonal of P'A P may be anything:
/// rows where it is not positive, and what is coupled to them, are left alone too.
void keep_weak_couplings(OpenMP&, HostCsr<double>& coarse);

/// Pairs of pairs, as often as that is asked for.
Aggregates aggregates_of_pairs(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal, int passes,
                               SetupSeconds& seconds);

/// Aggregates of up to 2^passes nodes, without smoothing (Notay 2010): P has a 1 in every row. What is constant on
/// aggregates has too much energy, about twice as much on a grid, so P'A P is divided by over_correction (Braess 1995),
/// but for its row sums and weak couplings; below 2 that leaves M positive definite. None where that does not shrink A
/// by a fifth. kept: gets the pairs of all passes, unless it is nullptr.
std::optional<CoarserLevel> coarsen_by_pairs(OpenMP&, const HostCsr<double>& a, const HostVector<double>& diagonal,
                                             int passes, SetupSeconds& seconds, std::vector<Pairs>* kept = nullptr);

/// The coarse matrix as coarsen_by_pairs() makes it, with the pairs that it kept.
HostCsr<double> product_of_pairs(OpenMP&, const HostCsr<double>& a, const std::vector<Pairs>& passes);

}  // namespace stiefel::amg
