#include "stiefel/preconditioner/cholesky/supernodes.hpp"

#include "stiefel/preconditioner/cholesky/elimination_tree.hpp"

#include <vector>

namespace stiefel::cholesky {

namespace {

/// A supernode that still grows.
struct Block {
    Size columns = 0;
    Size rows = 0;   ///< of its first column
    Size zeros = 0;  ///< that it holds beside the factor's own

    Size stored() const { return trapezoid(columns, rows); }
};

/// Whether a block of so many columns may hold that many zeros: the fewer columns, the more an own block costs.
bool few_zeros(const Block& block) {
    const double share = static_cast<double>(block.zeros) / static_cast<double>(block.stored());
    if (block.columns <= 8) return true;
    if (block.columns <= 24) return share < 0.4;
    return share < (block.columns <= 64 ? 0.15 : 0.05);
}

/// What the two become: all rows of the child below its columns are rows of the parent.
Block joined(const Block& child, const Block& parent) {
    Block both{child.columns + parent.columns, child.columns + parent.rows, child.zeros + parent.zeros};
    both.zeros += both.stored() - child.stored() - parent.stored();
    return both;
}

/// The supernode of each vertex: the vertex that ends it.
HostVector<Index> group(const HostVector<Index>& weight, const HostVector<Index>& parent,
                        const HostVector<Size>& counts) {
    const auto n = static_cast<Index>(parent.size());
    HostVector<Index> group(n), last_child(n, -1), earlier_sibling(n, -1);
    std::vector<Block> blocks(static_cast<std::size_t>(n));
    const auto block = [&](Index v) -> Block& { return blocks[static_cast<std::size_t>(v)]; };
    for (Index v = 0; v < n; ++v) {
        group[v] = v;
        block(v) = {weight[v], counts[v], 0};
        Index* link = &last_child[v];
        while (*link != -1) {  // children, which are complete; those that stay apart stay linked
            const Index child = *link;
            const Block both = joined(block(child), block(v));
            const bool adds_zeros = both.zeros > block(child).zeros + block(v).zeros;
            if (adds_zeros && !few_zeros(both)) {
                link = &earlier_sibling[child];
                continue;
            }
            block(v) = both;
            group[child] = v;
            *link = earlier_sibling[child];  // its own children become those of v, as blocks that stay apart
        }
        if (parent[v] != -1) {
            earlier_sibling[v] = last_child[parent[v]];
            last_child[parent[v]] = v;
        }
    }
    for (Index v = n - 1; v >= 0; --v) group[v] = group[group[v]];
    return group;
}

}  // namespace

Supernodes find_supernodes(const HostVector<Index>& weight, const HostVector<Index>& parent,
                           const HostVector<Size>& counts) {
    const auto n = static_cast<Index>(parent.size());
    const HostVector<Index> group_of = group(weight, parent, counts);
    // Numbers in the order of the vertices that end them, so that a parent's is the higher one ...
    HostVector<Index> number(n, -1);
    Index n_groups = 0;
    for (Index v = 0; v < n; ++v) {
        if (group_of[v] == v) number[v] = n_groups++;
    }
    HostVector<Index> above(n_groups), members(Size{n_groups} + 1, 0);
    for (Index v = 0; v < n; ++v) {
        ++members[number[group_of[v]] + 1];
        if (group_of[v] == v) above[number[v]] = parent[v] == -1 ? -1 : number[group_of[parent[v]]];
    }
    // ... and in postorder.
    const HostVector<Index> order = postorder(above);
    HostVector<Index> place(n_groups);
    for (Index s = 0; s < n_groups; ++s) place[order[s]] = s;
    Supernodes result{.first = HostVector<Index>(Size{n_groups} + 1, 0),
                      .parent = HostVector<Index>(n_groups),
                      .order = HostVector<Index>(n)};
    for (Index s = 0; s < n_groups; ++s) {
        result.first[s + 1] = result.first[s] + members[order[s] + 1];
        result.parent[s] = above[order[s]] == -1 ? -1 : place[above[order[s]]];
    }
    HostVector<Index> next = result.first.clone();
    for (Index v = 0; v < n; ++v) result.order[next[place[number[group_of[v]]]]++] = v;
    return result;
}

}  // namespace stiefel::cholesky
