#include "stiefel/preconditioner/prepare_listed.hpp"

#include "stiefel/core/openmp.hpp"

namespace stiefel {

template struct PreparedByName<OpenMP, double>;
template struct PreparedByName<OpenMP, float>;

}  // namespace stiefel
