#pragma once

#include "stiefel/preconditioner/amg/aggregates.hpp"

namespace stiefel::amg {

/// Smoothed aggregation (Vanek, Mandel and Brezina 1996):  P = (I - omega D_F^-1 A_F) T.  Column c of T is one on the
/// unknowns of aggregate c, so that constants are kept. A_F is A without its weak couplings, which are added to the
/// diagonal D_F: P reaches no further than strong couplings do, and coarse matrices stay sparse where directions
/// decouple. omega = 4/3 / rho(D_F^-1 A_F) by a bound for rho, of all ranks if the backend
/// has joined some. Returns n x aggregates; of_node must name one for each column of A.
HostCsr<double> smoothed_prolongation(OpenMP&, const HostCsr<double>& a, const Strength& is_strong, const Aggregates&);

}  // namespace stiefel::amg
