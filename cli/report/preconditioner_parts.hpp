#pragma once

#include "stiefel/cli/report/html_page.hpp"
#include "stiefel/cli/report/labelled_lines.hpp"
#include "stiefel/cli/report/solve_report.hpp"
#include "stiefel/cli/report/table.hpp"

#include <string>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// "convergence factor 0.182 an iteration"; where the preconditioner was changed on the way "jacobi: 30 iterations of
/// factor 0.928; amg: ..."; empty where nothing was iterated.
std::string runs_text(const SolveReport& report);

/// A row for each preconditioner that `auto` has weighed: what was expected of it, and what it took.
Table weighed_table(const SolveReport& report);

/// What its columns say; empty where nothing was weighed.
std::string weighed_text(const SolveReport& report);

/// A row for each level of a hierarchy.
Table levels_table(const PreconditionerDetails& about);

/// "smoothed coarsening, chebyshev smoother, v-cycle, 3 unknowns a node, near null space: rigid-body modes, in single
/// precision".
std::string multigrid_text(const PreconditionerDetails::Multigrid& parts);

/// "operator complexity 1.56, grid complexity 1.04, 203 MiB in all".
std::string complexity_text(const PreconditionerDetails& about);

/// "order: approximate minimum degree; 511,000 nonzeros in L, 205 supernodes, 6.44e+07 flops", and the shift if there
/// is one.
std::string factorisation_text(const PreconditionerDetails::Factorisation& about);

/// "pattern of A^2; 511,000 nonzeros in G", and the rows left to Jacobi if there are.
std::string sparse_inverse_text(const PreconditionerDetails::SparseInverse& about);

/// "1,250 blocks found, of 2.4 rows in the mean, 16 at most", and those left to Jacobi if there are.
std::string blocks_text(const PreconditionerDetails::Blocks& about);

/// The steps of the set-up with their times.
std::vector<std::pair<const char*, double>> setup_times(const PreconditionerDetails& about);
/// The same as "aggregate 12 ms", ...
std::vector<std::string> setup_parts(const PreconditionerDetails& about);

/// A hierarchy's levels or a factorisation, and in HTML its set-up; nothing where there is neither.
void add_preconditioner(LabelledLines& page, const PreconditionerDetails& about);
void add_preconditioner(HtmlPage& page, const PreconditionerDetails& about);

}  // namespace stiefel::cli
