#include "stiefel/cli/kept/kept_solve.hpp"
#include "stiefel/cli/solve/solve_system_impl.hpp"

namespace stiefel::cli {

template SolveReport solve_system<float>(const SolveOptions&, StatusLine&);
template std::shared_ptr<KeptMatrix> keep_matrix<float>(const LentCsr&, const KeptChoice&);

}  // namespace stiefel::cli
