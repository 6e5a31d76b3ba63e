#include "stiefel/preconditioner/cholesky/elimination_tree.hpp"

#include <utility>

namespace stiefel::cholesky {

HostVector<Index> elimination_tree(const Graph& graph) {
    HostVector<Index> parent(graph.n, -1), ancestor(graph.n, -1);
    for (Index v = 0; v < graph.n; ++v) {
        for (Size e = graph.start[v]; e < graph.start[v + 1]; ++e) {
            // Up from an earlier neighbour to the root of its tree, which becomes a child of v.
            for (Index u = graph.adjacent[e]; u != -1 && u < v;) {
                const Index next = std::exchange(ancestor[u], v);
                if (next == -1) parent[u] = v;
                u = next;
            }
        }
    }
    return parent;
}

HostVector<Index> postorder(const HostVector<Index>& parent) {
    const auto n = static_cast<Index>(parent.size());
    HostVector<Index> first_child(n, -1), next_sibling(n), order(n), stack(n);
    for (Index v = n - 1; v >= 0; --v) {
        if (parent[v] == -1) continue;
        next_sibling[v] = first_child[parent[v]];
        first_child[parent[v]] = v;
    }
    Index done = 0;
    for (Index root = 0; root < n; ++root) {
        if (parent[root] != -1) continue;
        Index depth = 0;
        stack[0] = root;
        while (depth >= 0) {
            const Index v = stack[depth], child = first_child[v];
            if (child == -1) {
                order[done++] = v;
                --depth;
            } else {
                first_child[v] = next_sibling[child];
                stack[++depth] = child;
            }
        }
    }
    return order;
}

namespace {

/// The root of u's set, with shorter ways from there on.
Index find(HostVector<Index>& ancestor, Index u) {
    Index root = u;
    while (ancestor[root] != root) root = ancestor[root];
    while (u != root) u = std::exchange(ancestor[u], root);
    return root;
}

}  // namespace

HostVector<Size> column_counts(const Graph& graph, const HostVector<Index>& parent) {
    const Index n = graph.n;
    // Row i of the factor is a subtree below i: its leaves begin paths to i, which join where leaves have common
    // ancestors. Counted where they begin, uncounted where they join and above i, weights sum up to the counts.
    HostVector<Size> count(n, 0);
    HostVector<Index> first(n, -1), latest_first(n, -1), previous_leaf(n, -1), ancestor(n);
    for (Index v = 0; v < n; ++v) {
        ancestor[v] = v;
        if (first[v] == -1) count[v] = graph.weight[v];  // a leaf of the tree itself
        for (Index u = v; u != -1 && first[u] == -1; u = parent[u]) first[u] = v;
    }
    for (Index v = 0; v < n; ++v) {
        if (parent[v] != -1) count[parent[v]] -= graph.weight[v];
        for (Size e = graph.start[v]; e < graph.start[v + 1]; ++e) {
            const Index i = graph.adjacent[e];
            if (i < v || first[v] <= latest_first[i]) continue;
            latest_first[i] = first[v];
            count[v] += graph.weight[i];
            const Index previous = std::exchange(previous_leaf[i], v);
            if (previous != -1) count[find(ancestor, previous)] -= graph.weight[i];
        }
        if (parent[v] != -1) ancestor[v] = parent[v];
    }
    for (Index v = 0; v < n; ++v) {
        if (parent[v] != -1) count[parent[v]] += count[v];
    }
    return count;
}

}  // namespace stiefel::cholesky
