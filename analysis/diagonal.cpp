#include "stiefel/analysis/diagonal.hpp"

#include "stiefel/analysis/reduce_rows.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel {

namespace {

struct Row {
    double diagonal = 0;
    bool stored = false;
    double beside = 0;  ///< sum of the absolutes of the others
};

/// DiagonalInfo while it is being found; the extremes count once a row has been added.
struct Partial : DiagonalInfo {
    bool empty = true;

    void add(Index i, const Row& row) {
        Partial one;
        const double magnitude = std::abs(row.diagonal);
        if (!row.stored) one.missing.add(i);
        if (row.stored && row.diagonal == 0) one.zero.add(i);
        if (row.diagonal < 0) one.negative.add(i);
        if (!(magnitude > row.beside)) one.not_strictly_dominant.add(i);
        if (!(magnitude >= row.beside)) one.not_dominant.add(i);
        one.min_abs = one.max_abs = magnitude;
        one.spectrum_lower = row.diagonal - row.beside;
        one.spectrum_upper = row.diagonal + row.beside;
        one.empty = false;
        merge(one);
    }

    void merge(const Partial& other) {
        if (other.empty) return;
        missing.merge(other.missing);
        zero.merge(other.zero);
        negative.merge(other.negative);
        not_strictly_dominant.merge(other.not_strictly_dominant);
        not_dominant.merge(other.not_dominant);
        min_abs = empty ? other.min_abs : std::min(min_abs, other.min_abs);
        max_abs = empty ? other.max_abs : std::max(max_abs, other.max_abs);
        spectrum_lower = empty ? other.spectrum_lower : std::min(spectrum_lower, other.spectrum_lower);
        spectrum_upper = empty ? other.spectrum_upper : std::max(spectrum_upper, other.spectrum_upper);
        empty = false;
    }
};

}  // namespace

template <class T>
DiagonalInfo analyse_diagonal(OpenMP& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "analyse_diagonal: A must be square");
    return a.row_ptr.visit([&](const auto* row_ptr) -> DiagonalInfo {
        return reduce_rows<Partial>(backend, a.n_rows, [&](Index i, Partial& partial) {
            Row row;
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (a.col_idx[k] == i) {
                    row.diagonal = a.values[k];
                    row.stored = true;
                } else {
                    row.beside += std::abs(double{a.values[k]});
                }
            }
            partial.add(i, row);
        });
    });
}

template DiagonalInfo analyse_diagonal(OpenMP&, const HostCsr<float>&);
template DiagonalInfo analyse_diagonal(OpenMP&, const HostCsr<double>&);

}  // namespace stiefel
