#include "stiefel/preconditioner/prepare_listed.hpp"

#include "stiefel/core/cuda.hpp"

namespace stiefel {

template struct PreparedByName<Cuda, double>;
template struct PreparedByName<Cuda, float>;

}  // namespace stiefel
