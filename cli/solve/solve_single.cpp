#include "stiefel/cli/solve/solve_system_impl.hpp"

namespace stiefel::cli {

template SolveReport solve_system<float>(const SolveOptions&, StatusLine&);

}  // namespace stiefel::cli
