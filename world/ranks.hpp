#pragma once

#include "stiefel/core/world.hpp"
#include "stiefel/world/mail.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace stiefel {

class Cuda;
class CudaWorld;

/// A world of numbered processes that send each other parts of vectors. What sends is called by all of them, in the
/// same order.
class Ranks : public World {
public:
    using Bytes = std::vector<std::byte>;

    /// A piece of memory that goes to a rank, or is filled by what comes from it.
    struct Part {
        int rank;
        std::byte* data;
        Size bytes;
    };

    /// Sends out[r] to rank r, and returns what each rank has sent here. For the set-up of what follows.
    virtual std::vector<Bytes> all_to_all(const std::vector<Bytes>& out) = 0;

    /// Begins to send and to receive, one part at most to and from a rank; all memory stays as it is until end(). What
    /// a rank sends another is as long as what that one awaits.
    virtual void begin(std::span<const Part> out, std::span<const Part> in) = 0;

    /// Waits until all that was begun is here and gone.
    virtual void end() = 0;

    /// Messages for a thread beside those that call the rest, one Mail at a time; none where these ranks have no such.
    virtual std::unique_ptr<Mail> mail() { return nullptr; }
};

/// The ranks that operators of a backend take: of GPUs, those that reach each other's memory.
template <class B>
using RanksOf = std::conditional_t<std::is_same_v<B, Cuda>, CudaWorld, Ranks>;

}  // namespace stiefel
