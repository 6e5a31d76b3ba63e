#pragma once

#include "stiefel/preconditioner/amg/ranks/cuda/matrix_parts.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/halo.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace stiefel::amg {

/// What belongs to the ghosts of a halo, of what each rank has for the rows that it sends; all ranks call it at once.
template <class V>
HostVector<V> numbers_of_ghosts(Ranks& ranks, const Halo& halo, const HostVector<V>& sent) {
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks.size()));
    for (const Halo::Share& to : halo.to()) {
        out[static_cast<std::size_t>(to.rank)] =
            bytes_of(std::span(sent.data() + to.first, static_cast<std::size_t>(to.n)));
    }
    std::vector<V> come;  // ghosts ascend, so those of a rank lie together
    for (const Ranks::Bytes& bytes : ranks.all_to_all(out)) append_values(bytes, come);
    HostVector<V> numbers(static_cast<Size>(come.size()));
    std::copy(come.begin(), come.end(), numbers.data());
    return numbers;
}

}  // namespace stiefel::amg
