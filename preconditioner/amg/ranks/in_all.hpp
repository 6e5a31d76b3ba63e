#pragma once

#include "stiefel/world/ranks.hpp"

#include <functional>

namespace stiefel::amg {

/// Does f() in each rank, which must not wait for others. What is wrong with the matrix in one (InvalidArgument,
/// NotDefinite) all throw, with the message of the first that has one. Whatever else f() throws leaves this rank alone:
/// none is to go on after that. All call it at once.
void in_all(Ranks&, const std::function<void()>& f);

}  // namespace stiefel::amg
