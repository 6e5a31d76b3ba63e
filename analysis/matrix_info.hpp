#pragma once

#include "stiefel/analysis/band.hpp"
#include "stiefel/analysis/components.hpp"
#include "stiefel/analysis/diagonal.hpp"
#include "stiefel/analysis/format_bytes.hpp"
#include "stiefel/analysis/symmetry.hpp"
#include "stiefel/analysis/values.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <optional>

namespace stiefel {

template <class T>
struct AnalysisOptions {
    double symmetry_tolerance = rounding_asymmetry<T>;  ///< asymmetry up to which a matrix counts as symmetric
};

/// What a matrix is like: everything that `stiefel info` shows.
struct MatrixInfo {
    Index n_rows = 0;
    Index n_cols = 0;
    Size nnz = 0;                             ///< stored entries, zeros included
    RowStatistics rows;                       ///< lengths of the rows
    ValueInfo values;                         ///< magnitudes, explicit zeros, NaN and infinite ones
    BandInfo band;                            ///< bandwidths and profile
    FormatBytes bytes;                        ///< size in every format
    std::optional<SymmetryInfo> symmetry;     ///< of a square matrix
    std::optional<DiagonalInfo> diagonal;     ///< of a square matrix, with Gershgorin's bounds of its spectrum
    std::optional<ComponentInfo> components;  ///< of a square matrix: parts of its graph that no entry joins

    bool square() const { return n_rows == n_cols; }
};

/// Six passes over A, in parallel; the same on any number of threads.
template <class T>
MatrixInfo analyse(OpenMP& backend, const HostCsr<T>& a, const AnalysisOptions<T>& options = {}) {
    const RowStatistics rows = row_statistics(backend, a);
    MatrixInfo info{.n_rows = a.n_rows,
                    .n_cols = a.n_cols,
                    .nnz = a.nnz(),
                    .rows = rows,
                    .values = analyse_values(backend, a),
                    .band = analyse_band(backend, a),
                    .bytes = bytes_in_formats(backend, a, rows),
                    .symmetry = {},
                    .diagonal = {},
                    .components = {}};
    if (info.square()) {
        info.symmetry = check_symmetry(backend, a, options.symmetry_tolerance);
        info.diagonal = analyse_diagonal(backend, a);
        info.components = analyse_components(backend, a, info.symmetry->pattern_symmetric());
    }
    return info;
}

}  // namespace stiefel
