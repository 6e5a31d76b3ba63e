#include "stiefel/preconditioner/cholesky/graph.hpp"

#include <algorithm>
#include <cstdint>

namespace stiefel::cholesky {

namespace {

/// The first row of the group that each row belongs to.
template <class Offset>
HostVector<Index> first_of_group(Index n, const Offset* row_ptr, const Index* col_idx) {
    HostVector<std::uint64_t> sum(n);  // alike rows have alike sums
    for (Index i = 0; i < n; ++i) {
        std::uint64_t s = 0;
        for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) s += static_cast<std::uint64_t>(col_idx[k]);
        sum[i] = s;
    }
    HostVector<Index> first(n, -1);
    for (Index i = 0; i < n; ++i) {
        if (first[i] >= 0) continue;
        first[i] = i;
        const Index* const begin = col_idx + row_ptr[i];
        const Index* const end = col_idx + row_ptr[i + 1];
        for (const Index* col = std::upper_bound(begin, end, i); col != end; ++col) {
            const Index j = *col;
            if (sum[j] != sum[i] || first[j] >= 0) continue;
            if (std::equal(begin, end, col_idx + row_ptr[j], col_idx + row_ptr[j + 1])) first[j] = i;
        }
    }
    return first;
}

template <class Offset>
Graph quotient(const CompressedGraph& groups, const HostVector<Index>& vertex, const HostVector<Index>& first,
               const Offset* row_ptr, const Index* col_idx) {
    const Index n = static_cast<Index>(groups.first_row.size()) - 1;
    Graph graph{.n = n, .start = HostVector<Size>(Size{n} + 1), .weight = HostVector<Index>(n)};
    const auto for_neighbours = [&](Index v, auto&& f) {
        const Index i = groups.rows[groups.first_row[v]];
        for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            const Index j = col_idx[k];
            if (first[j] == j && j != i) f(vertex[j]);  // the others of its group are there as well
        }
    };
    graph.start[0] = 0;
    for (Index v = 0; v < n; ++v) {
        Size count = 0;
        for_neighbours(v, [&](Index) { ++count; });
        graph.start[v + 1] = graph.start[v] + count;
        graph.weight[v] = groups.first_row[v + 1] - groups.first_row[v];
    }
    graph.adjacent = HostVector<Index>(graph.start[n]);
    for (Index v = 0; v < n; ++v) {
        Size place = graph.start[v];
        for_neighbours(v, [&](Index neighbour) { graph.adjacent[place++] = neighbour; });
    }
    return graph;
}

template <class Offset>
CompressedGraph grouped(Index n, const Offset* row_ptr, const Index* col_idx) {
    const HostVector<Index> first = first_of_group(n, row_ptr, col_idx);
    HostVector<Index> vertex(n);
    Index n_vertices = 0;
    for (Index i = 0; i < n; ++i) vertex[i] = first[i] == i ? n_vertices++ : vertex[first[i]];
    CompressedGraph groups{.first_row = HostVector<Index>(Size{n_vertices} + 1, 0), .rows = HostVector<Index>(n)};
    for (Index i = 0; i < n; ++i) ++groups.first_row[vertex[i] + 1];
    for (Index v = 0; v < n_vertices; ++v) groups.first_row[v + 1] += groups.first_row[v];
    HostVector<Index> next = groups.first_row.clone();
    for (Index i = 0; i < n; ++i) groups.rows[next[vertex[i]]++] = i;
    groups.graph = quotient(groups, vertex, first, row_ptr, col_idx);
    return groups;
}

/// In each row the entries beyond the diagonal must come up as entries before it, in the rows' own order.
template <class Offset>
bool is_symmetric(Index n, const Offset* row_ptr, const Index* col_idx) {
    HostVector<Offset> next(n);  // of each row: its first entry beyond the diagonal that has not come up
    for (Index i = 0; i < n; ++i) {
        Offset k = row_ptr[i];
        for (; k < row_ptr[i + 1] && col_idx[k] < i; ++k) {
            const Index j = col_idx[k];
            if (next[j] == row_ptr[j + 1] || col_idx[next[j]] != i) return false;
            ++next[j];
        }
        next[i] = k < row_ptr[i + 1] && col_idx[k] == i ? k + 1 : k;
    }
    for (Index i = 0; i < n; ++i) {
        if (next[i] != row_ptr[i + 1]) return false;
    }
    return true;
}

struct Pattern {
    HostVector<Size> row_ptr;
    HostVector<Index> col_idx;
};

/// Of A + A', columns ascending.
template <class Offset>
Pattern with_transpose(Index n, const Offset* row_ptr, const Index* col_idx) {
    HostVector<Size> start(Size{n} + 1, 0);  // of A'
    for (Size k = 0; k < row_ptr[n]; ++k) ++start[col_idx[k] + 1];
    for (Index i = 0; i < n; ++i) start[i + 1] += start[i];
    HostVector<Index> columns(row_ptr[n]);
    HostVector<Size> next = start.clone();
    for (Index i = 0; i < n; ++i) {
        for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) columns[next[col_idx[k]]++] = i;
    }
    Pattern both{HostVector<Size>(Size{n} + 1), HostVector<Index>(2 * Size{row_ptr[n]})};
    Index* const all = both.col_idx.data();
    Index* end = all;
    both.row_ptr[0] = 0;
    for (Index i = 0; i < n; ++i) {
        end = std::set_union(col_idx + row_ptr[i], col_idx + row_ptr[i + 1], columns.data() + start[i],
                             columns.data() + start[i + 1], end);
        both.row_ptr[i + 1] = end - all;
    }
    return both;
}

}  // namespace

template <class T>
CompressedGraph compressed_graph(const HostCsr<T>& a) {
    const Index n = a.n_rows;
    return a.row_ptr.visit([&](const auto* row_ptr) {
        if (is_symmetric(n, row_ptr, a.col_idx.data())) return grouped(n, row_ptr, a.col_idx.data());
        const Pattern both = with_transpose(n, row_ptr, a.col_idx.data());
        return grouped(n, both.row_ptr.data(), both.col_idx.data());
    });
}

template <class T>
Index rows_like_the_last(const HostCsr<T>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        Index count = 0;
        for (Index i = 1; i < a.n_rows; ++i) {
            const auto before = row_ptr[i - 1], begin = row_ptr[i], end = row_ptr[i + 1];
            if (end - begin != begin - before || begin == end) continue;
            if (a.col_idx[before] == a.col_idx[begin] && a.col_idx[begin - 1] == a.col_idx[end - 1]) ++count;
        }
        return count;
    });
}

Graph renumbered(const Graph& graph, const HostVector<Index>& order) {
    const Index n = graph.n;
    HostVector<Index> place(n);
    for (Index k = 0; k < n; ++k) place[order[k]] = k;
    Graph result{.n = n,
                 .start = HostVector<Size>(Size{n} + 1),
                 .adjacent = HostVector<Index>(graph.adjacent.size()),
                 .weight = HostVector<Index>(n)};
    Size next = 0;
    for (Index k = 0; k < n; ++k) {
        const Index v = order[k];
        result.start[k] = next;
        result.weight[k] = graph.weight[v];
        for (Size e = graph.start[v]; e < graph.start[v + 1]; ++e) result.adjacent[next++] = place[graph.adjacent[e]];
    }
    result.start[n] = next;
    return result;
}

template CompressedGraph compressed_graph(const HostCsr<double>&);
template CompressedGraph compressed_graph(const HostCsr<float>&);
template Index rows_like_the_last(const HostCsr<double>&);
template Index rows_like_the_last(const HostCsr<float>&);

}  // namespace stiefel::cholesky
