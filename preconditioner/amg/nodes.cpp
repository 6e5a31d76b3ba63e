#include "stiefel/preconditioner/amg/nodes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace stiefel::amg {

namespace {

/// The share of positive entries in the absolute sum of all off the diagonal.
double positive_share(OpenMP& backend, const HostCsr<double>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        Size positive = 0, all = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(+ : positive, all) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            double row = 0, row_positive = 0;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) continue;
                row += std::abs(a.values[k]);
                if (a.values[k] > 0) row_positive += a.values[k];
            }
            // Counted by rows and not added up, so that no rounding depends on the threads.
            all += row > 0;
            positive += row > 0 && row_positive > 0.1 * row;
        }
        return all > 0 ? static_cast<double>(positive) / static_cast<double>(all) : 0.0;
    });
}

/// Whether rows first and second are coupled to the same nodes.
template <class Offset>
bool have_same_nodes(const HostCsr<double>& a, const Offset* row_ptr, Index first, Index second, Index components) {
    Size k = row_ptr[first], l = row_ptr[second];
    const Index* const cols = a.col_idx.data();
    // Of nodes with all unknowns coupled to each other, the same columns.
    if (std::equal(cols + k, cols + row_ptr[first + 1], cols + l, cols + row_ptr[second + 1])) return true;
    while (k < row_ptr[first + 1] && l < row_ptr[second + 1]) {
        const Index node = a.col_idx[k] / components;
        if (a.col_idx[l] / components != node) return false;
        while (k < row_ptr[first + 1] && a.col_idx[k] / components == node) ++k;
        while (l < row_ptr[second + 1] && a.col_idx[l] / components == node) ++l;
    }
    return k == row_ptr[first + 1] && l == row_ptr[second + 1];
}

/// Whether nine tenths of the nodes do. Of a matrix that does not come in nodes a tenth is looked at.
bool comes_in_nodes(OpenMP& backend, const HostCsr<double>& a, Index components) {
    if (a.n_rows % components != 0 || a.n_rows == 0) return false;
    return a.row_ptr.visit([&](const auto* row_ptr) {
        constexpr Index nodes_of_part = 1024;
        const Index n_nodes = a.n_rows / components, n_parts = (n_nodes - 1) / nodes_of_part + 1;
        std::atomic<Index> different = 0;
        const auto may_come = [&] { return n_nodes - different > 0.9 * n_nodes; };
#pragma omp parallel for num_threads(backend.threads()) schedule(static, 1) if (a.nnz() > 20000)
        for (Index part = 0; part < n_parts; ++part) {
            if (!may_come()) continue;
            const Index first = part * nodes_of_part, end = first + std::min(n_nodes - first, nodes_of_part);
            Index of_part = 0;
            for (Index node = first; node < end; ++node) {
                bool all = true;
                for (Index c = 1; c < components && all; ++c) {
                    all = have_same_nodes(a, row_ptr, node * components, node * components + c, components);
                }
                of_part += all ? 0 : 1;
            }
            different += of_part;
        }
        return may_come();
    });
}

}  // namespace

Index find_components(OpenMP& backend, const HostCsr<double>& a) {
    constexpr double least_positive = 0.5;
    for (Index components : {6, 3, 2}) {
        if (!comes_in_nodes(backend, a, components)) continue;
        return positive_share(backend, a) < least_positive ? 1 : components;
    }
    return 1;
}

}  // namespace stiefel::amg
