#include "stiefel/preconditioner/cholesky/symbolic.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/cholesky/elimination_tree.hpp"
#include "stiefel/preconditioner/cholesky/ordering.hpp"
#include "stiefel/preconditioner/cholesky/supernodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stiefel::cholesky {

namespace {

HostVector<Index> composed(const HostVector<Index>& inner, const HostVector<Index>& outer) {
    HostVector<Index> both(outer.size());
    for (Size k = 0; k < outer.size(); ++k) both[k] = inner[outer[k]];
    return both;
}

/// Vertices below each supernode's own, ascending, of a graph numbered as they are eliminated.
struct Structure {
    HostVector<Size> start;
    HostVector<Index> vertices;
};

/// The lists turned round and back again: what comes out is sorted.
Structure sorted(Index n, HostVector<Size> start, const std::vector<Index>& vertices) {
    HostVector<Size> row_start(Size{n} + 1, 0);
    for (const Index v : vertices) ++row_start[v + 1];
    for (Index v = 0; v < n; ++v) row_start[v + 1] += row_start[v];
    const auto total = static_cast<Size>(vertices.size());
    HostVector<Index> owner(total);
    for (Index s = 0; s + 1 < start.size(); ++s) {
        for (Size k = start[s]; k < start[s + 1]; ++k) owner[row_start[vertices[static_cast<std::size_t>(k)]]++] = s;
    }
    Structure structure{.start = std::move(start), .vertices = HostVector<Index>(total)};
    HostVector<Size> next = structure.start.clone();
    Size k = 0;
    for (Index v = 0; v < n; ++v) {
        for (; k < row_start[v]; ++k) structure.vertices[next[owner[k]]++] = v;  // row_start[v] is the end of v by now
    }
    return structure;
}

/// Every supernode has the rows of its children and of its own columns of A that are behind its block.
Structure structure_of(const Graph& graph, const Supernodes& nodes) {
    const Index n_nodes = nodes.size();
    HostVector<Size> start(Size{n_nodes} + 1, 0);
    std::vector<Index> vertices;
    HostVector<Index> seen_by(graph.n, -1), first_child(n_nodes, -1), next_sibling(n_nodes, -1);
    for (Index s = 0; s < n_nodes; ++s) {
        const Index end = nodes.first[s + 1];
        const auto take = [&](Index v) {
            if (v < end || seen_by[v] == s) return;
            seen_by[v] = s;
            vertices.push_back(v);
        };
        for (Index v = nodes.first[s]; v < end; ++v) {
            for (Size e = graph.start[v]; e < graph.start[v + 1]; ++e) take(graph.adjacent[e]);
        }
        for (Index c = first_child[s]; c != -1; c = next_sibling[c]) {
            for (Size k = start[c]; k < start[c + 1]; ++k) take(vertices[static_cast<std::size_t>(k)]);
        }
        start[s + 1] = static_cast<Size>(vertices.size());
        if (const Index parent = nodes.parent[s]; parent != -1) next_sibling[s] = std::exchange(first_child[parent], s);
    }
    return sorted(graph.n, std::move(start), vertices);
}

/// Flops of a block of w columns and u rows below: its factor, the rows below by it, and what they take from others.
double flops_of(double w, double u) {
    return w * w * w / 3 + w * w * u + w * u * u;
}

void link_tree(Symbolic& symbolic) {
    const Index n_nodes = symbolic.size();
    symbolic.first_child = HostVector<Index>(n_nodes, -1);
    symbolic.next_sibling = HostVector<Index>(n_nodes, -1);
    symbolic.first_below = HostVector<Index>(n_nodes);
    for (Index s = n_nodes - 1; s >= 0; --s) {
        const Index parent = symbolic.parent[s];
        if (parent != -1) symbolic.next_sibling[s] = std::exchange(symbolic.first_child[parent], s);
    }
    for (Index s = 0; s < n_nodes; ++s) {
        const Index child = symbolic.first_child[s];
        symbolic.first_below[s] = child == -1 ? s : symbolic.first_below[child];
    }
}

/// Where the rows below each supernode stand among its parent's columns and rows.
void find_in_parents(Symbolic& symbolic) {
    symbolic.in_parent = HostVector<Index>(symbolic.rows.size());
    for (Index s = 0; s < symbolic.size(); ++s) {
        const Index parent = symbolic.parent[s];
        if (parent == -1) continue;
        const Index first = symbolic.first_column[parent], width = symbolic.width(parent);
        Size k = symbolic.row_start[s];
        const Size end = symbolic.row_start[s + 1];
        for (; k < end && symbolic.rows[k] < first + width; ++k) symbolic.in_parent[k] = symbolic.rows[k] - first;
        for (Size p = symbolic.row_start[parent]; k < end; ++k, ++p) {
            while (symbolic.rows[p] != symbolic.rows[k]) ++p;
            symbolic.in_parent[k] = static_cast<Index>(p - symbolic.row_start[parent]) + width;
        }
    }
}

/// From vertices to the rows that they stand for.
Symbolic expanded(const CompressedGraph& groups, const HostVector<Index>& order, const Graph& graph,
                  const Supernodes& nodes, const Structure& structure) {
    const Index n_nodes = nodes.size();
    const auto n = static_cast<Index>(groups.rows.size());
    Symbolic symbolic{.n = n,
                      .order = HostVector<Index>(n),
                      .place = HostVector<Index>(n),
                      .first_column = HostVector<Index>(Size{n_nodes} + 1),
                      .parent = nodes.parent.clone(),
                      .row_start = HostVector<Size>(Size{n_nodes} + 1)};
    HostVector<Index> first_row(Size{graph.n} + 1, 0);
    for (Index v = 0; v < graph.n; ++v) {
        first_row[v + 1] = first_row[v] + graph.weight[v];
        const Index group = order[v];
        std::copy(groups.rows.data() + groups.first_row[group], groups.rows.data() + groups.first_row[group + 1],
                  symbolic.order.data() + first_row[v]);
    }
    for (Index k = 0; k < n; ++k) symbolic.place[symbolic.order[k]] = k;
    for (Index s = 0; s <= n_nodes; ++s) symbolic.first_column[s] = first_row[nodes.first[s]];
    symbolic.row_start[0] = 0;
    for (Index s = 0; s < n_nodes; ++s) {
        Size height = 0;
        for (Size k = structure.start[s]; k < structure.start[s + 1]; ++k) {
            height += graph.weight[structure.vertices[k]];
        }
        symbolic.row_start[s + 1] = symbolic.row_start[s] + height;
        symbolic.nonzeros += trapezoid(symbolic.width(s), symbolic.width(s) + height);
        symbolic.flops += flops_of(symbolic.width(s), static_cast<double>(height));
    }
    symbolic.rows = HostVector<Index>(symbolic.row_start[n_nodes]);
    Size next = 0;
    for (Size k = 0; k < structure.vertices.size(); ++k) {
        const Index v = structure.vertices[k];
        for (Index row = first_row[v]; row < first_row[v + 1]; ++row) symbolic.rows[next++] = row;
    }
    return symbolic;
}

}  // namespace

Analysis::Analysis(CompressedGraph groups) : groups_(std::move(groups)) {
    const Stopwatch watch;
    const HostVector<Index> by_degree = minimum_degree(groups_.graph);
    seconds_of_ordering_ = watch.seconds();
    const Graph ordered = renumbered(groups_.graph, by_degree);
    const HostVector<Index> tree = elimination_tree(ordered);
    const HostVector<Index> after = postorder(tree);
    order_ = composed(by_degree, after);
    graph_ = renumbered(ordered, after);
    HostVector<Index> place(graph_.n);
    for (Index k = 0; k < graph_.n; ++k) place[after[k]] = k;
    parent_ = HostVector<Index>(graph_.n);
    for (Index k = 0; k < graph_.n; ++k) parent_[k] = tree[after[k]] == -1 ? -1 : place[tree[after[k]]];
    counts_ = column_counts(graph_, parent_);
}

Prediction Analysis::prediction() const {
    Prediction prediction;
    for (Index v = 0; v < graph_.n; ++v) {
        const Size width = graph_.weight[v], rows = counts_[v];
        prediction.nonzeros += static_cast<double>(trapezoid(width, rows));
        prediction.flops += flops_of(static_cast<double>(width), static_cast<double>(rows - width));
    }
    return prediction;
}

Symbolic Analysis::symbolic() const {
    const Supernodes nodes = find_supernodes(graph_.weight, parent_, counts_);
    const Graph graph = renumbered(graph_, nodes.order);
    Symbolic symbolic = expanded(groups_, composed(order_, nodes.order), graph, nodes, structure_of(graph, nodes));
    link_tree(symbolic);
    find_in_parents(symbolic);
    return symbolic;
}

}  // namespace stiefel::cholesky
