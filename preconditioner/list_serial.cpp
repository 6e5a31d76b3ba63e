#include "stiefel/preconditioner/prepare_listed.hpp"

#include "stiefel/core/serial.hpp"

namespace stiefel {

template struct PreparedByName<Serial, double>;
template struct PreparedByName<Serial, float>;

}  // namespace stiefel
