#include "stiefel/cli/ranks/rank_vectors.hpp"

#include "stiefel/world/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace stiefel::cli {

HostVector<double> handed_out(Ranks& ranks, const RowBlocks& blocks, const HostVector<double>& columns, Index k) {
    const Size n = blocks.n_rows();
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks.size()));
    for (int r = 0; r < ranks.size() && ranks.rank() == 0; ++r) {
        Ranks::Bytes& part = out[static_cast<std::size_t>(r)];
        for (Index j = 0; j < k; ++j) {
            const auto rows = std::as_bytes(columns.span().subspan(static_cast<std::size_t>(j * n + blocks.first(r)),
                                                                   static_cast<std::size_t>(blocks.n_rows_of(r))));
            part.insert(part.end(), rows.begin(), rows.end());
        }
    }
    const Ranks::Bytes bytes = told_by_first(ranks, std::move(out));
    HostVector<double> here(Size{blocks.n_rows_of(ranks.rank())} * k);
    if (!bytes.empty()) std::memcpy(here.data(), bytes.data(), bytes.size());
    return here;
}

HostVector<double> gathered(Ranks& ranks, const RowBlocks& blocks, const HostVector<double>& here, Index k) {
    const std::vector<Ranks::Bytes> parts = told_to_first(ranks, bytes_of(here.span()));
    if (ranks.rank() != 0) return {};
    const Size n = blocks.n_rows();
    HostVector<double> columns(n * k);
    for (int r = 0; r < ranks.size(); ++r) {
        const Size rows = blocks.n_rows_of(r);
        const std::byte* const part = parts[static_cast<std::size_t>(r)].data();
        for (Index j = 0; j < k && rows > 0; ++j) {
            const auto bytes = static_cast<std::size_t>(rows) * sizeof(double);
            std::memcpy(columns.data() + j * n + blocks.first(r), part + static_cast<std::size_t>(j) * bytes, bytes);
        }
    }
    return columns;
}

}  // namespace stiefel::cli
