#pragma once

#include "stiefel/preconditioner/triangular/level_triangle.hpp"
#include "stiefel/spmv/csr.hpp"

#include <vector>

namespace stiefel::cholesky {

/// What an incomplete factor keeps.
struct IncompleteOptions {
    double threshold = 0;  ///< entries of the diagonally scaled factor below it times their column's norm are dropped;
                           ///< 0: the pattern of A is kept, IC(0)
    double fill = 2;       ///< with a threshold: at most so many times A's entries in a column, its own among them
    Size level = 0;        ///< without one: of fill that is kept, IC(level)
};

/// The lower triangle of a factor, column after column, rows ascending and the diagonal first.
template <class T>
struct IncompleteFactor {
    Index n = 0;
    std::vector<Size> start = {};
    std::vector<Index> rows = {};
    std::vector<T> values = {};
    double shift = 0;  ///< of diag(A), added to A

    Size nonzeros() const { return static_cast<Size>(values.size()); }
    triangular::LowerColumns<T> columns() const { return {n, start, rows, values}; }
};

/// L of A + shift diag(A) ~ L L', column by column from those to the left (Jones and Plassmann 1995): on A's pattern
/// (Meijerink and van der Vorst 1977), with fill up to a level (level_pattern.hpp), or with a threshold and a limit of
/// the fill (Saad 2003, section 10.8; Lin and More 1999). A pivot that is not positive has diag(A) added 0.001 times,
/// and so on in fourfold shares (Manteuffel 1980). a: symmetric. Throws InvalidArgument where an entry is not finite or
/// a diagonal entry not positive, OutOfMemory where the host has no room for the fill of the level.
template <class T>
IncompleteFactor<T> incomplete_factor(const HostCsr<T>& a, const IncompleteOptions& options);

}  // namespace stiefel::cholesky
