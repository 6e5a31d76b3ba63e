#include "stiefel/analysis/symmetry.hpp"

#include "stiefel/analysis/reduce_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel {

namespace {

template <class T, class Offset>
HostVector<double> largest_of_rows(OpenMP& backend, const HostCsr<T>& a, const Offset* row_ptr) {
    HostVector<double> largest(a.n_rows);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Index i = 0; i < a.n_rows; ++i) {
        double m = 0;
        for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) m = std::max(m, std::abs(double{a.values[k]}));
        largest[i] = m;
    }
    return largest;
}

/// A stored a_ij, i != j, beside its mirror image, as the pair of its upper entry: divided by its own row's first, so
/// that bits are the same whoever compares them.
void add_pair(PartialSymmetry& to, Index i, Index j, double value, double mirrored, const HostVector<double>& largest,
              double tolerance) {
    if (value == mirrored) return;
    const double relative = asymmetry(value, mirrored, largest[i], largest[j]);
    to.add(i < j ? MirroredPair{i, j, value, mirrored, relative} : MirroredPair{j, i, mirrored, value, relative},
           tolerance);
}

/// By one thread: as rows come in their order, the entries of a lower triangle are met in theirs, each by a step in its
/// row instead of a search (2 ns an entry instead of 8, as long as all that stays in a cache).
template <class T, class Offset>
SymmetryInfo check_in_one_pass(const HostCsr<T>& a, const Offset* row_ptr, const HostVector<double>& largest,
                               double tolerance) {
    PartialSymmetry found;
    const Index* const cols = a.col_idx.data();
    HostVector<Offset> next(a.n_rows);  // of each row, the first entry that no upper one has met
    std::copy_n(row_ptr, a.n_rows, next.begin());
    // Those of row j in columns before i are met by none.
    const auto pass_unmirrored = [&](Index j, Index i) {
        for (Offset& at = next[j]; at < row_ptr[j + 1] && cols[at] < i; ++at) {
            found.unmirrored.add(j, cols[at]);
            add_pair(found, j, cols[at], a.values[at], 0.0, largest, tolerance);
        }
    };
    for (Index i = 0; i < a.n_rows; ++i) {
        pass_unmirrored(i, i);
        for (Offset k = next[i]; k < row_ptr[i + 1]; ++k) {
            const Index j = cols[k];
            if (j == i) continue;
            pass_unmirrored(j, i);
            const Offset at = next[j];
            const bool stored = at < row_ptr[j + 1] && cols[at] == i;
            if (stored) {
                ++next[j];
            } else {
                found.unmirrored.add(i, j);
            }
            add_pair(found, i, j, a.values[k], stored ? double{a.values[at]} : 0.0, largest, tolerance);
        }
    }
    return found;
}

bool before(const MirroredPair& a, const MirroredPair& b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
}

}  // namespace

double asymmetry(double value, double mirrored, double row_max, double col_max) {
    // Square roots apart, as the product may leave the range of double.
    const double relative = std::abs(value - mirrored) / std::sqrt(row_max) / std::sqrt(col_max);
    return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

void PartialSymmetry::add(const MirroredPair& pair, double tolerance) {
    offer_largest(pair);
    if (pair.asymmetry > tolerance) offer_first(pair);
}

void PartialSymmetry::merge(const SymmetryInfo& other) {
    unmirrored.merge(other.unmirrored);
    if (other.largest) offer_largest(*other.largest);
    if (other.first) offer_first(*other.first);
}

void PartialSymmetry::offer_largest(const MirroredPair& pair) {
    const bool larger = !largest || pair.asymmetry > largest->asymmetry ||
                        (pair.asymmetry == largest->asymmetry && before(pair, *largest));
    if (larger) largest = pair;
}

void PartialSymmetry::offer_first(const MirroredPair& pair) {
    if (!first || before(pair, *first)) first = pair;
}

template <class T>
SymmetryInfo check_symmetry(OpenMP& backend, const HostCsr<T>& a, double tolerance) {
    require(a.n_rows == a.n_cols, "check_symmetry: A must be square");
    return a.row_ptr.visit([&](const auto* row_ptr) -> SymmetryInfo {
        const HostVector<double> largest = largest_of_rows(backend, a, row_ptr);
        constexpr Size in_a_cache = 300'000;
        if (backend.threads() <= 2 && a.nnz() <= in_a_cache) return check_in_one_pass(a, row_ptr, largest, tolerance);
        const Index* const cols = a.col_idx.data();
        return reduce_rows<PartialSymmetry>(backend, a.n_rows, [&](Index i, PartialSymmetry& partial) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = cols[k];
                if (i == j) continue;
                const Index* const end = cols + row_ptr[j + 1];
                const Index* const found = std::lower_bound(cols + row_ptr[j], end, i);
                const bool stored = found != end && *found == i;
                if (!stored) partial.unmirrored.add(i, j);
                // A pair is compared once: from its upper entry, or from the only one.
                if (i > j && stored) continue;
                add_pair(partial, i, j, a.values[k], stored ? double{a.values[found - cols]} : 0.0, largest, tolerance);
            }
        });
    });
}

template SymmetryInfo check_symmetry(OpenMP&, const HostCsr<float>&, double);
template SymmetryInfo check_symmetry(OpenMP&, const HostCsr<double>&, double);

}  // namespace stiefel
