#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cli {

/// Of up to so many rows, iterations are too cheap to be worth the set-up of multigrid.
inline constexpr Index rows_without_amg = 20000;
/// Of fewer rows iterations are too cheap for a sparse approximate inverse: where it is taken before any, and where it
/// is to follow some. With more entries, iterations with it do not stay in a device's cache.
inline constexpr Index least_rows_of_fsai = 400, least_rows_of_fsai_later = 900;
inline constexpr Size most_entries_of_fsai = 1500000;
/// Of fewer rows any solve is over before a factorisation could be, of more it is not looked at.
inline constexpr Index least_rows_of_cholesky = 100, most_rows_of_cholesky = 50000;
/// A residual that is larger after so many iterations than at first tells enough to factorise.
inline constexpr Size iterations_before_cholesky = 2;
/// On a device, where the factor is a last resort, no solve of fewer is slow. Of 17 systems that take more than the
/// second, those that had no end in sight then, and no others, were solved after 800 or never
/// (docs/performance/time_to_solution.md).
inline constexpr Size iterations_before_last_resort = 500, iterations_where_hopeless = 120;

/// Those that `auto` may go on with.
struct StrongOnes {
    bool amg = false;
    bool cholesky = false;
    bool fsai = false;

    bool any() const { return amg || cholesky || fsai; }
};
constexpr StrongOnes strong_ones(bool on_host, Index n_rows, Size nnz) {
    return {.amg = n_rows > rows_without_amg,
            .cholesky = n_rows >= least_rows_of_cholesky && n_rows <= most_rows_of_cholesky,
            .fsai = !on_host && n_rows >= least_rows_of_fsai && nnz <= most_entries_of_fsai};
}

}  // namespace stiefel::cli
