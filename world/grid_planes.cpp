#include "stiefel/world/grid_planes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

namespace stiefel {

namespace {

/// None where a rank would get too many rows.
std::optional<RowBlocks> at_multiples(const RowBlocks& blocks, Size unit) {
    constexpr double most = 1.125;
    const Size n = blocks.n_rows();
    std::vector<Size> first{0};
    for (int rank = 1; rank < blocks.n_ranks(); ++rank) {
        first.push_back(std::min((blocks.first(rank) + unit / 2) / unit * unit, n));
    }
    first.push_back(n);
    for (int rank = 0; rank < blocks.n_ranks(); ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        const double share =
            std::max(static_cast<double>(n) / blocks.n_ranks(), static_cast<double>(blocks.n_rows_of(rank)));
        if (static_cast<double>(first[r + 1] - first[r]) > most * share) return {};
    }
    return RowBlocks(std::move(first));
}

}  // namespace

Size plane_of_grid(Ranks& ranks, const Coo<double>& entries) {
    Size farthest = 0;
    for (Size e = 0; e < entries.n_entries(); ++e) {
        farthest = std::max(farthest, std::abs(Size{entries.row_idx[e]} - entries.col_idx[e]));
    }
    auto plane = static_cast<double>(farthest);
    ranks.all_max(&plane, 1);
    farthest = static_cast<Size>(plane);
    double to_next = 0;  // entries that couple a plane with the next
    for (Size e = 0; e < entries.n_entries(); ++e) {
        to_next += std::abs(Size{entries.row_idx[e]} - entries.col_idx[e]) == farthest;
    }
    ranks.all_sum(&to_next, 1);
    const Size n = entries.n_rows;
    const double couplings = static_cast<double>(n - farthest) * (entries.symmetry == Symmetry::general ? 2 : 1);
    return farthest > 1 && n % farthest == 0 && to_next == couplings ? farthest : 0;
}

Size plane_of_grid(const WorldRows<double>& rows, Size first, Size n_rows) {
    Size plane = 0;
    for (Index i = 0; i < rows.n_rows(); ++i) {
        Size farthest = 0;
        for (Size k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
            farthest = std::max(farthest, first + i - rows.col_idx[k]);
        }
        if (i > 0 && farthest != plane) return 0;
        plane = farthest;
    }
    return plane > 1 && n_rows % plane == 0 ? plane : 0;
}

RowBlocks at_planes(const RowBlocks& blocks, Size plane) {
    if (plane == 0) return blocks;
    if (auto pairs = at_multiples(blocks, 2 * plane)) return *std::move(pairs);
    return at_multiples(blocks, plane).value_or(blocks);
}

}  // namespace stiefel
