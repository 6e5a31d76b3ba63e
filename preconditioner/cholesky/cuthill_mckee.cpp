#include "stiefel/preconditioner/cholesky/cuthill_mckee.hpp"

#include <algorithm>

namespace stiefel::cholesky {

namespace {

class Numbering {
public:
    explicit Numbering(const Graph& graph)
        : graph_(graph), order_(graph.n), seen_by_(graph.n, unseen), search_(graph.n) {}

    HostVector<Index> run() {
        for (Index v = 0; v < graph_.n; ++v) {
            if (seen_by_[v] != numbered) number(rim_of(v));
        }
        std::reverse(order_.begin(), order_.end());
        return std::move(order_);
    }

private:
    static constexpr Index unseen = -1, numbered = -2;

    Size degree(Index v) const { return graph_.start[v + 1] - graph_.start[v]; }
    bool is_before(Index v, Index w) const { return degree(v) != degree(w) ? degree(v) < degree(w) : v < w; }
    template <class F>
    void for_neighbours(Index v, F&& f) const {
        for (Size e = graph_.start[v]; e < graph_.start[v + 1]; ++e) f(graph_.adjacent[e]);
    }

    struct Levels {
        Index count = 0;
        Index last_begin = 0, end = 0;  // of the last level in search_
    };

    /// Breadth first from a vertex.
    Levels levels_from(Index root) {
        const Index search = ++searches_;
        search_[0] = root;
        seen_by_[root] = search;
        Levels levels{.count = 1, .last_begin = 0, .end = 1};
        for (Index begin = 0, end = 1;;) {
            Index next = end;
            for (Index k = begin; k < end; ++k) {
                for_neighbours(search_[k], [&](Index w) {
                    if (seen_by_[w] == search) return;
                    seen_by_[w] = search;
                    search_[next++] = w;
                });
            }
            if (next == end) return levels;
            begin = end;
            end = next;
            levels = {levels.count + 1, begin, end};
        }
    }

    /// A vertex of the component of v from which it is nearly as deep as it can be.
    Index rim_of(Index v) {
        Levels levels = levels_from(v);
        for (;;) {
            const Index far = *std::min_element(search_.data() + levels.last_begin, search_.data() + levels.end,
                                                [this](Index a, Index b) { return is_before(a, b); });
            const Levels from_there = levels_from(far);
            if (from_there.count <= levels.count) return far;
            levels = from_there;
        }
    }

    /// Numbers a component, breadth first, neighbours of few neighbours first.
    void number(Index root) {
        const Index begin = n_numbered_;
        order_[n_numbered_++] = root;
        seen_by_[root] = numbered;
        for (Index k = begin; k < n_numbered_; ++k) {
            const Index first = n_numbered_;
            for_neighbours(order_[k], [&](Index w) {
                if (seen_by_[w] == numbered) return;
                seen_by_[w] = numbered;
                order_[n_numbered_++] = w;
            });
            std::sort(order_.data() + first, order_.data() + n_numbered_,
                      [this](Index a, Index b) { return is_before(a, b); });
        }
    }

    const Graph& graph_;
    HostVector<Index> order_;
    HostVector<Index> seen_by_;  // the last search that came there
    HostVector<Index> search_;
    Index searches_ = 0;
    Index n_numbered_ = 0;
};

}  // namespace

HostVector<Index> reverse_cuthill_mckee(const Graph& graph) {
    return Numbering(graph).run();
}

}  // namespace stiefel::cholesky
