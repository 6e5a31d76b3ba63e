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
struct PartialChecks {
    PartialDiagonal entries;
    DiagonalInfo beside;  // of which the entries stay empty

    void add(Index i, const Row& row) {
        PartialChecks one;
        one.entries.add(i, row.stored, row.diagonal);
        const double magnitude = std::abs(row.diagonal);
        if (!(magnitude > row.beside)) one.beside.not_strictly_dominant.add(i);
        if (!(magnitude >= row.beside)) one.beside.not_dominant.add(i);
        one.beside.spectrum_lower = row.diagonal - row.beside;
        one.beside.spectrum_upper = row.diagonal + row.beside;
        merge(one);
    }

    void merge(const PartialChecks& other) {
        if (other.entries.empty) return;
        const DiagonalInfo& with = other.beside;
        beside.not_strictly_dominant.merge(with.not_strictly_dominant);
        beside.not_dominant.merge(with.not_dominant);
        const bool first = entries.empty;
        beside.spectrum_lower = first ? with.spectrum_lower : std::min(beside.spectrum_lower, with.spectrum_lower);
        beside.spectrum_upper = first ? with.spectrum_upper : std::max(beside.spectrum_upper, with.spectrum_upper);
        entries.merge(other.entries);
    }

    DiagonalInfo info() const {
        DiagonalInfo whole = beside;
        static_cast<DiagonalEntries&>(whole) = entries;
        return whole;
    }
};

}  // namespace

template <class T>
DiagonalInfo analyse_diagonal(OpenMP& backend, const HostCsr<T>& a) {
    require(a.n_rows == a.n_cols, "analyse_diagonal: A must be square");
    return a.row_ptr.visit([&](const auto* row_ptr) -> DiagonalInfo {
        return reduce_rows<PartialChecks>(backend, a.n_rows,
                                          [&](Index i, PartialChecks& partial) {
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
                                          })
            .info();
    });
}

template DiagonalInfo analyse_diagonal(OpenMP&, const HostCsr<float>&);
template DiagonalInfo analyse_diagonal(OpenMP&, const HostCsr<double>&);

}  // namespace stiefel
