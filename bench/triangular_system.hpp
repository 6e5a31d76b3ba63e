#pragma once

#include "bench/ladder.hpp"

#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/triangular/level_triangle.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::bench {

/// L L' z = r with the factor of IC(0): what triangular solves are timed on.
template <class T>
class TriangularSystem {
public:
    /// a: symmetric. Throws as incomplete_factor() does.
    explicit TriangularSystem(const HostCsr<T>& a);

    Index n() const { return factor_.n; }
    const cholesky::IncompleteFactor<T>& factor() const { return factor_; }
    triangular::LevelTriangles<T> triangles(int threads = triangular::of_a_device) const {
        return triangular::in_levels(factor_.columns(), threads);
    }
    const HostVector<T>& r() const { return r_; }
    Work work() const;  ///< of both substitutions, each number moved once

    /// Of L L' z from r, in extended precision, beside |L| |L'| |z|: accepted where two substitutions in T may leave as
    /// much (Higham 2002, theorem 8.5: each solves a triangle that is off by gamma times its absolute values, in
    /// whatever order sums are taken). grown: how many times as large errors may be, as powers of N make them; they are
    /// then held against the largest |L| |L'| |z| of all rows.
    Deviation deviation(const HostVector<T>& z, double grown = 1) const;

private:
    cholesky::IncompleteFactor<T> factor_;
    HostVector<T> r_;
};

/// L' by rows, which are the columns of L. Throws InvalidArgument for 2^31 entries or more.
template <class T>
HostCsr<T> upper_csr(const cholesky::IncompleteFactor<T>& l);

/// z = L^-T L^-1 r as textbooks have it: column after column, then row after row of L' from the last.
template <class T>
void substitute(const cholesky::IncompleteFactor<T>& l, const HostVector<T>& r, HostVector<T>& z);

}  // namespace stiefel::bench
