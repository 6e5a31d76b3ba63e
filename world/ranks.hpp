#pragma once

#include "stiefel/core/world.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace stiefel {

/// A world of numbered processes that send each other parts of vectors. Everything but rank() and size() is called by
/// all of them, in the same order.
class Ranks : public World {
public:
    using Bytes = std::vector<std::byte>;

    /// A piece of memory that goes to a rank, or is filled by what comes from it.
    struct Part {
        int rank;
        std::byte* data;
        Size bytes;
    };

    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Sends out[r] to rank r, and returns what each rank has sent here. For the set-up of what follows.
    virtual std::vector<Bytes> all_to_all(const std::vector<Bytes>& out) = 0;

    /// Begins to send and to receive, one part at most to and from a rank; all memory stays as it is until end(). What
    /// a rank sends another is as long as what that one awaits.
    virtual void begin(std::span<const Part> out, std::span<const Part> in) = 0;

    /// Waits until all that was begun is here and gone.
    virtual void end() = 0;
};

}  // namespace stiefel
