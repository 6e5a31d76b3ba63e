#include "stiefel/world/halo.hpp"

#include <cstring>

namespace stiefel {

namespace {

/// What this rank wants of each: the numbers of rows.
std::vector<Ranks::Bytes> wishes(const RowBlocks& blocks, const std::vector<Size>& ghosts) {
    std::vector<Ranks::Bytes> wanted(static_cast<std::size_t>(blocks.n_ranks()));
    for (const Size row : ghosts) {
        Ranks::Bytes& of_owner = wanted[static_cast<std::size_t>(blocks.owner(row))];
        const std::byte* const bytes = reinterpret_cast<const std::byte*>(&row);
        of_owner.insert(of_owner.end(), bytes, bytes + sizeof(Size));
    }
    return wanted;
}

}  // namespace

Halo::Halo(Ranks& ranks, const RowBlocks& blocks, const std::vector<Size>& ghosts)
    : ranks_(&ranks), n_ghosts_(static_cast<Index>(ghosts.size())) {
    require(blocks.n_ranks() == ranks.size(), "Halo: there must be rows for each rank");
    const std::vector<Ranks::Bytes> wanted_here = wishes(blocks, ghosts);
    const std::vector<Ranks::Bytes> wanted_there = ranks.all_to_all(wanted_here);
    const auto count = [](const Ranks::Bytes& wanted) { return static_cast<Size>(wanted.size() / sizeof(Size)); };

    Size n_sent = 0, n_received = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        if (const Size n = count(wanted_here[at]); n > 0) from_.push_back({rank, n_received, n});
        if (const Size n = count(wanted_there[at]); n > 0) to_.push_back({rank, n_sent, n});
        n_received += count(wanted_here[at]);
        n_sent += count(wanted_there[at]);
    }
    sent_ = HostVector<Index>(n_sent);
    const Size first = blocks.first(ranks.rank());
    for (const Share& share : to_) {
        const Ranks::Bytes& wanted = wanted_there[static_cast<std::size_t>(share.rank)];
        for (Size i = 0; i < share.n; ++i) {
            Size row = 0;
            std::memcpy(&row, wanted.data() + i * static_cast<Size>(sizeof(Size)), sizeof(Size));
            sent_[share.first + i] = static_cast<Index>(row - first);
        }
    }
}

void Halo::begin(std::byte* packed, std::byte* ghosts, Size row_bytes) {
    const auto parts = [&](const std::vector<Share>& shares, std::byte* memory) {
        std::vector<Ranks::Part> list;
        for (const Share& share : shares) {
            list.push_back({share.rank, memory + share.first * row_bytes, share.n * row_bytes});
        }
        return list;
    };
    ranks_->begin(parts(to_, packed), parts(from_, ghosts));
    open_.reset(ranks_);
}

}  // namespace stiefel
