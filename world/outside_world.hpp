#pragma once

#include "stiefel/core/world.hpp"

namespace stiefel {

/// A backend that is by itself for a while: sums of its kernels are those of this rank.
class OutsideWorld {
public:
    explicit OutsideWorld(InWorld& backend) : backend_(backend), before_(backend) { backend_ = InWorld(); }
    ~OutsideWorld() { backend_ = before_; }
    OutsideWorld(const OutsideWorld&) = delete;
    OutsideWorld& operator=(const OutsideWorld&) = delete;

private:
    InWorld& backend_;
    InWorld before_;
};

}  // namespace stiefel
