#include "stiefel/world/mpi/metis_partition.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/world/exchange.hpp"
#include "stiefel/world/mpi/adjacency.hpp"

#include <metis.h>

#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace stiefel {

namespace {

/// The whole graph, of the parts that ranks have sent.
struct WholeGraph {
    std::vector<idx_t> ptr{0}, columns, weights;

    void append(const Ranks::Bytes& lengths, const Ranks::Bytes& of_columns, const Ranks::Bytes& of_weights) {
        std::vector<idx_t> ends;
        append_values(lengths, ends);
        const idx_t before = ptr.back();
        for (std::size_t i = 1; i < ends.size(); ++i) ptr.push_back(before + ends[i]);
        append_values(of_columns, columns);
        append_values(of_weights, weights);
    }
};

std::vector<idx_t> parted(WholeGraph& graph, idx_t n_parts) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;  // what a product sends
    options[METIS_OPTION_SEED] = 1;
    auto n = static_cast<idx_t>(graph.ptr.size() - 1);
    idx_t n_constraints = 1, volume = 0;
    std::vector<idx_t> part(static_cast<std::size_t>(n));
    const int status =
        METIS_PartGraphKway(&n, &n_constraints, graph.ptr.data(), graph.columns.data(), graph.weights.data(), nullptr,
                            nullptr, &n_parts, nullptr, nullptr, options, &volume, part.data());
    if (status != METIS_OK) part.clear();
    return part;
}

}  // namespace

HostVector<Index> metis_partition(Ranks& ranks, const RowBlocks& blocks, const WorldRows<double>& rows) {
    double weight = static_cast<double>(rows.nnz()) + 7.0 * rows.n_rows();
    ranks.all_sum(&weight, 1);
    require(weight < static_cast<double>(std::numeric_limits<idx_t>::max()),
            "METIS, as it is built here, does not count so many entries");
    const Adjacency<idx_t> own(rows, blocks.first(ranks.rank()));
    const auto gathered = [&](const std::vector<idx_t>& numbers) {
        return told_to_first(ranks, bytes_of(std::span<const idx_t>(numbers)));
    };
    const std::vector<Ranks::Bytes> ptr = gathered(own.ptr), columns = gathered(own.columns),
                                    weights = gathered(own.weights);
    std::vector<idx_t> part;
    if (ranks.rank() == 0) {
        WholeGraph graph;
        for (std::size_t r = 0; r < ptr.size(); ++r) graph.append(ptr[r], columns[r], weights[r]);
        part = parted(graph, ranks.size());
    }
    if (told_by_first(ranks, part.empty() ? 1 : 0) == 1) throw Error("METIS cannot part the matrix");
    std::vector<Ranks::Bytes> of_ranks;
    for (int r = 0; r < ranks.size() && ranks.rank() == 0; ++r) {
        of_ranks.push_back(bytes_of(std::span<const idx_t>(part).subspan(
            static_cast<std::size_t>(blocks.first(r)), static_cast<std::size_t>(blocks.n_rows_of(r)))));
    }
    std::vector<idx_t> here;
    append_values(told_by_first(ranks, std::move(of_ranks)), here);
    HostVector<Index> result(rows.n_rows());
    std::copy(here.begin(), here.end(), result.data());
    return result;
}

}  // namespace stiefel
