#pragma once

#include "stiefel/core/types.hpp"

#include <cstddef>
#include <vector>

namespace stiefel {

/// Messages that a thread of a rank sends and receives by itself, whatever the ranks say to each other meanwhile. Used
/// by one thread at a time. Those of a tag between two ranks arrive in the order in which they were sent.
class Mail {
public:
    /// What was begun and has ended.
    struct Ended {
        std::size_t number;
        Size bytes;  ///< received
    };

    /// What has not ended is given up.
    virtual ~Mail() = default;

    /// Both begin, and return a number for ended(); until then the memory stays as it is. What comes is at most as long
    /// as there is room.
    virtual std::size_t send(int to, int tag, const std::byte* data, Size bytes) = 0;
    virtual std::size_t receive(int from, int tag, std::byte* data, Size room) = 0;

    /// What has ended since the last call; waits for nothing. Lives until the next call, and from then on other things
    /// may have the same numbers.
    virtual const std::vector<Ended>& ended() = 0;
};

}  // namespace stiefel
