#pragma once

#include "stiefel/core/types.hpp"

#include <map>

namespace stiefel::cholesky {

/// Gives out parts of an array whose length is found by doing so: the first gap that is wide enough, or room at the
/// end.
class RoomPlan {
public:
    /// Where `size` elements may lie.
    Size take(Size size);

    /// Those elements are needed no longer.
    void give(Size at, Size size);

    /// Elements that it takes.
    Size length() const { return length_; }

private:
    std::map<Size, Size> gaps_ = {};  // where each begins, and its width; no two touch
    Size length_ = 0;
};

}  // namespace stiefel::cholesky
