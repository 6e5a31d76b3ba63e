#include "stiefel/cli/ranks/rank_vectors.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/world/exchange.hpp"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace stiefel::cli {

namespace {

/// The numbers of the rows of each rank, in the first where there is an order.
class Numbers {
public:
    Numbers(Ranks& ranks, const RowBlocks& blocks, const HostVector<Size>& order) : blocks_(blocks) {
        double is_ordered = order.empty() ? 0 : 1;  // in a rank without rows it is empty
        ranks.all_max(&is_ordered, 1);
        if (is_ordered == 0) return;
        for (const Ranks::Bytes& bytes : told_to_first(ranks, bytes_of(order.span()))) {
            of_ranks_.emplace_back();
            append_values(bytes, of_ranks_.back());
        }
    }

    Size operator()(int rank, Index row) const {
        if (of_ranks_.empty()) return blocks_.first(rank) + row;
        return of_ranks_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(row)];
    }

private:
    const RowBlocks& blocks_;
    std::vector<std::vector<Size>> of_ranks_;
};

}  // namespace

void check_fits_file(Size n_rows, std::string_view flag, const std::string& path) {
    if (path.empty() || n_rows <= std::numeric_limits<Index>::max()) return;
    throw UsageError(fmt::format("{} {}: a file has at most 2^31 - 1 rows, the matrix {}", flag, path, n_rows));
}

HostVector<double> handed_out(Ranks& ranks, const RowBlocks& blocks, const HostVector<Size>& order,
                              const HostVector<double>& columns, Index k) {
    const Numbers number(ranks, blocks, order);
    const Size n = blocks.n_rows();
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks.size()));
    for (int r = 0; r < ranks.size() && ranks.rank() == 0; ++r) {
        std::vector<double> part;
        for (Index j = 0; j < k; ++j) {
            for (Index i = 0; i < blocks.n_rows_of(r); ++i) part.push_back(columns[j * n + number(r, i)]);
        }
        out[static_cast<std::size_t>(r)] = bytes_of(std::span<const double>(part));
    }
    std::vector<double> here;
    append_values(told_by_first(ranks, std::move(out)), here);
    HostVector<double> result(static_cast<Size>(here.size()));
    std::copy(here.begin(), here.end(), result.data());
    return result;
}

template <class T>
HostVector<T> gathered(Ranks& ranks, const RowBlocks& blocks, const HostVector<Size>& order, const HostVector<T>& here,
                       Index k) {
    const Numbers number(ranks, blocks, order);
    const std::vector<Ranks::Bytes> parts = told_to_first(ranks, bytes_of(here.span()));
    if (ranks.rank() != 0) return {};
    const Size n = blocks.n_rows();
    HostVector<T> columns(n * k);
    for (int r = 0; r < ranks.size(); ++r) {
        std::vector<T> part;
        append_values(parts[static_cast<std::size_t>(r)], part);
        const Index rows = blocks.n_rows_of(r);
        for (Index j = 0; j < k; ++j) {
            for (Index i = 0; i < rows; ++i)
                columns[j * n + number(r, i)] = part[static_cast<std::size_t>(Size{j} * rows + i)];
        }
    }
    return columns;
}

template HostVector<double> gathered(Ranks&, const RowBlocks&, const HostVector<Size>&, const HostVector<double>&,
                                     Index);
template HostVector<float> gathered(Ranks&, const RowBlocks&, const HostVector<Size>&, const HostVector<float>&, Index);

}  // namespace stiefel::cli
