#pragma once

namespace stiefel {

/// What an input is read for: only vectors may come as plain numbers.
enum class Wanted { matrix, vectors };

}  // namespace stiefel
