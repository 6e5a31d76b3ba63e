#pragma once

#include "stiefel/preconditioner/amg/cuda/facts.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"
#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::amg {

/// A matrix of the hierarchy and what was found out about its rows on the way.
struct DeviceMatrix {
    DeviceVector<double> diagonal;
    DeviceVector<double> inverse_root;  ///< a_ii^-1/2
    DeviceVector<double> largest;       ///< m_i: see Strength of the host
    DeviceVector<LevelFacts> facts;
};

/// Diagonal and its bounds alone; its facts are to be asked for the first bad row.
DeviceMatrix look_at_diagonal(Cuda&, const DeviceCsr<double>& a);

/// The rest of it, and facts on the rows.                                                         2 passes over A
void look_at_rows(Cuda&, const DeviceCsr<double>& a, DeviceMatrix& found);

/// Which couplings are strong, by the formulas of the host's Strength.
struct DeviceStrength {
    /// A's columns; where an entry is not strong (as none of the diagonal is) all their bits are turned.
    DeviceVector<Index> columns;
};

/// 1 pass over A.
DeviceStrength find_strong(Cuda&, const DeviceCsr<double>& a, const DeviceMatrix& of, double theta = Strength::theta);

}  // namespace stiefel::amg
