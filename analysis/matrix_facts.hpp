#pragma once

#include "stiefel/analysis/coupling_strength.hpp"
#include "stiefel/analysis/diagonal_entries.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/row_statistics.hpp"

#include <optional>

namespace stiefel {

/// What is to be known of a symmetric A before it is solved with.
struct MatrixFacts {
    RowStatistics rows = {};
    DiagonalEntries diagonal = {};
    double norm = 0;                                 ///< infinity_norm()
    std::optional<CouplingStrength> couplings = {};  ///< where asked for, of a diagonal that is positive
};

/// Of a square A. On the host by the functions that have each; on a device in one or, with couplings, two passes over
/// the entries and with one wait, as what waits cost is most of the time that small systems take: couplings the same in
/// every run, sums and couplings as on the host but for rounding, all else the same. Memory there: n words with
/// couplings, and a word for every length of rows. Throws InvalidArgument if A is not square.
template <class T>
MatrixFacts matrix_facts(OpenMP&, const HostCsr<T>& a, bool with_couplings = false);
template <class T>
MatrixFacts matrix_facts(Cuda&, const DeviceCsr<T>& a, bool with_couplings = false);

}  // namespace stiefel
