#include "stiefel/analysis/components.hpp"

#include "stiefel/analysis/reduce_rows.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace stiefel {

namespace {

/// Trees of rows known to be connected, that threads join at once. A row's parent comes before it, so no two threads
/// can close a circle; a root is its own. Nothing but the parents is told from thread to thread, hence `relaxed`.
class ConnectedRows {
public:
    explicit ConnectedRows(OpenMP& backend, Index n_rows) : parents_(n_rows) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index i = 0; i < n_rows; ++i) parents_[i] = i;
    }

    Index root(Index i) {
        for (;;) {
            const Index parent = parent_of(i).load(relaxed);
            const Index beyond = parent_of(parent).load(relaxed);
            if (beyond == parent) return parent;
            // An ancestor takes the place of another, so it does no harm if a thread wrote a third one meanwhile.
            parent_of(i).store(beyond, relaxed);
            i = beyond;
        }
    }

    /// Returns the root of both, as it is then.
    Index join(Index i, Index j) {
        for (;;) {
            i = root(i);
            j = root(j);
            if (i == j) return i;
            if (i < j) std::swap(i, j);
            Index still_root = i;
            if (parent_of(i).compare_exchange_strong(still_root, j, relaxed)) return j;
        }
    }

private:
    static constexpr std::memory_order relaxed = std::memory_order_relaxed;

    std::atomic_ref<Index> parent_of(Index i) {
        return std::atomic_ref(parents_[i]);
    }

    HostVector<Index> parents_;
};

/// How many rows each tree has, at its root.
HostVector<Index> rows_of_trees(OpenMP& backend, Index n_rows, ConnectedRows& trees) {
    HostVector<Index> rows(n_rows, 0);
#pragma omp parallel num_threads(backend.threads())
    {
        // Neighbours are mostly of one tree: they are counted together, or all threads would wait for one number.
        Index root = 0, run = 0;
        const auto add_run = [&] {
            if (run > 0) std::atomic_ref(rows[root]).fetch_add(run, std::memory_order_relaxed);
        };
#pragma omp for schedule(static) nowait
        for (Index i = 0; i < n_rows; ++i) {
            const Index of_row = trees.root(i);
            if (of_row != root) {
                add_run();
                root = of_row;
                run = 0;
            }
            ++run;
        }
        add_run();
    }
    return rows;
}

struct PartialComponents : ComponentInfo {
    void merge(const ComponentInfo& other) {
        if (other.number == 0) return;
        smallest = number == 0 ? other.smallest : std::min(smallest, other.smallest);
        largest = std::max(largest, other.largest);
        number += other.number;
    }
};

}  // namespace

template <class T>
ComponentInfo analyse_components(OpenMP& backend, const HostCsr<T>& a, bool has_symmetric_pattern) {
    require(a.n_rows == a.n_cols, "analyse_components: A must be square");
    ConnectedRows trees(backend, a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index i = 0; i < a.n_rows; ++i) {
            const Index end = has_symmetric_pattern ? i : a.n_cols;
            Index root = i;
            for (auto k = row_ptr[i]; k < row_ptr[i + 1] && a.col_idx[k] < end; ++k)
                root = trees.join(root, a.col_idx[k]);
        }
    });
    const HostVector<Index> rows = rows_of_trees(backend, a.n_rows, trees);
    return reduce_rows<PartialComponents>(backend, a.n_rows, [&](Index i, PartialComponents& partial) {
        if (rows[i] > 0) partial.merge({.number = 1, .smallest = rows[i], .largest = rows[i]});
    });
}

template ComponentInfo analyse_components(OpenMP&, const HostCsr<float>&, bool);
template ComponentInfo analyse_components(OpenMP&, const HostCsr<double>&, bool);

}  // namespace stiefel
