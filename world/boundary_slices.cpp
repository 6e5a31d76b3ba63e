#include "stiefel/world/boundary_slices.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace stiefel {

namespace {

constexpr Index height = 32;

/// A row that has columns of others.
struct Meeting {
    Index slot;
    Index row;  // of `beyond`
};

/// Ascending by slots.
std::vector<Meeting> meetings(const HostVector<Index>& boundary, Index n_rows, const HostVector<Index>& row_of_slot) {
    std::vector<Meeting> all;
    all.reserve(static_cast<std::size_t>(boundary.size()));
    if (row_of_slot.empty()) {
        for (Index i = 0; i < static_cast<Index>(boundary.size()); ++i) all.push_back({boundary[i], i});
        return all;
    }
    std::vector<Index> of_row(static_cast<std::size_t>(n_rows), -1);
    for (Index i = 0; i < static_cast<Index>(boundary.size()); ++i) of_row[static_cast<std::size_t>(boundary[i])] = i;
    for (Size slot = 0; slot < row_of_slot.size(); ++slot) {
        const Index row = row_of_slot[slot];
        if (row >= n_rows || of_row[static_cast<std::size_t>(row)] < 0) continue;
        all.push_back({static_cast<Index>(slot), of_row[static_cast<std::size_t>(row)]});
    }
    return all;
}

/// The slices that meet others, and those that do not, each ascending.
struct TwoKinds {
    std::vector<Index> outer, inner;
};

TwoKinds two_kinds(const std::vector<Meeting>& all, Index n_slices) {
    TwoKinds kinds;
    auto next = all.begin();
    for (Index slice = 0; slice < n_slices; ++slice) {
        const auto begin = next;
        while (next != all.end() && next->slot / height == slice) ++next;
        (next != begin ? kinds.outer : kinds.inner).push_back(slice);
    }
    return kinds;
}

/// What a block gets of them.
std::span<const Index> share_of(const std::vector<Index>& slices, Index block, Index n_blocks) {
    const auto first = [&](Index b) {
        return slices.size() * static_cast<std::size_t>(b) / static_cast<std::size_t>(n_blocks);
    };
    return std::span(slices).subspan(first(block), first(block + 1) - first(block));
}

/// Those of each block, dealt out in runs.
std::vector<std::vector<Index>> in_runs(const std::vector<Index>& slices, Index n_blocks, Index runs) {
    std::vector<std::vector<Index>> of_block(static_cast<std::size_t>(n_blocks));
    auto next = slices.begin();
    for (Index run = 0; run < runs; ++run) {
        for (Index block = 0; block < n_blocks; ++block) {
            const auto n = static_cast<Size>(share_of(slices, block, n_blocks).size());
            const auto end = next + (n * (run + 1) / runs - n * run / runs);
            auto& own = of_block[static_cast<std::size_t>(block)];
            own.insert(own.end(), next, end);
            next = end;
        }
    }
    return of_block;
}

/// Where the outer slices of a block begin. Of the rounds in which warps take turns the last may not reach all of them:
/// those that it does not reach end with the round before, of which the outer slices are the last.
Index first_outer_place(Index n_inner, Index n_outer, Index warps) {
    const Index n = n_inner + n_outer, whole_rounds = n / warps * warps;
    return whole_rounds >= n_outer && whole_rounds > 0 ? whole_rounds - n_outer : n_inner;
}

/// A slice that meets others: where its meetings begin among all, and its groups.
struct OuterSlice {
    std::size_t first, end;
    Index n_groups;
};

template <class Offset>
std::vector<OuterSlice> outer_slices(const std::vector<Meeting>& all, const std::vector<Index>& slices,
                                     const Offset* row_ptr) {
    std::vector<OuterSlice> outer;
    outer.reserve(slices.size());
    std::size_t at = 0;
    for (const Index slice : slices) {
        OuterSlice one{at, at, 0};
        for (; one.end < all.size() && all[one.end].slot / height == slice; ++one.end) {
            const Index row = all[one.end].row;
            one.n_groups = std::max(one.n_groups, static_cast<Index>(row_ptr[row + 1] - row_ptr[row]));
        }
        at = one.end;
        outer.push_back(one);
    }
    return outer;
}

}  // namespace

template <class T>
BoundarySlices<T> slice_boundary(const HostCsr<T>& beyond, const HostVector<Index>& boundary, Index n_rows,
                                 const HostVector<Index>& row_of_slot, Index n_blocks, Index warps_of_block,
                                 Index runs) {
    const Index n_slices = (n_rows + height - 1) / height, of_block = most_slices_of_block(n_slices, n_blocks);
    const std::vector<Meeting> all = meetings(boundary, n_rows, row_of_slot);
    const TwoKinds kinds = two_kinds(all, n_slices);
    const std::vector<std::vector<Index>> inner_of = in_runs(kinds.inner, n_blocks, runs);
    return beyond.row_ptr.visit([&](const auto* row_ptr) {
        const std::vector<OuterSlice> outer = outer_slices(all, kinds.outer, row_ptr);
        Size n_groups = 0;
        for (const OuterSlice& one : outer) n_groups += one.n_groups;
        BoundarySlices<T> dealt{.slices_of_block = of_block,
                                .slice = HostVector<Index>(Size{n_blocks} * of_block, -1),
                                .first_outer = HostVector<Index>(n_blocks),
                                .outer = HostVector<Index>(Size{n_blocks} + 1, 0),
                                .first_group = HostVector<Index>(static_cast<Size>(outer.size()) + 1, 0),
                                .ghost = HostVector<Index>(n_groups * height, -1),
                                .values = HostVector<T>(n_groups * height, T{0})};
        for (Index block = 0; block < n_blocks; ++block) {
            const std::vector<Index>& inner = inner_of[static_cast<std::size_t>(block)];
            const auto of_outer = share_of(kinds.outer, block, n_blocks);
            const auto n_inner = static_cast<Index>(inner.size()), n_outer = static_cast<Index>(of_outer.size());
            const Index first = first_outer_place(n_inner, n_outer, warps_of_block);
            Index* to = dealt.slice.data() + Size{block} * of_block;
            to = std::copy_n(inner.begin(), first, to);
            to = std::copy(of_outer.begin(), of_outer.end(), to);
            std::copy(inner.begin() + first, inner.end(), to);
            dealt.first_outer[block] = first;
            dealt.outer[block + 1] = dealt.outer[block] + n_outer;
        }
        Size group = 0;
        for (std::size_t k = 0; k < outer.size(); ++k) {
            for (std::size_t m = outer[k].first; m < outer[k].end; ++m) {
                Size to = group * height + all[m].slot % height;
                for (Size e = row_ptr[all[m].row]; e < row_ptr[all[m].row + 1]; ++e, to += height) {
                    dealt.ghost[to] = beyond.col_idx[e];
                    dealt.values[to] = beyond.values[e];
                }
            }
            group += outer[k].n_groups;
            dealt.first_group[static_cast<Size>(k) + 1] = static_cast<Index>(group);
        }
        return dealt;
    });
}

template BoundarySlices<double> slice_boundary(const HostCsr<double>&, const HostVector<Index>&, Index,
                                               const HostVector<Index>&, Index, Index, Index);
template BoundarySlices<float> slice_boundary(const HostCsr<float>&, const HostVector<Index>&, Index,
                                              const HostVector<Index>&, Index, Index, Index);

}  // namespace stiefel
