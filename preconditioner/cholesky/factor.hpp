#pragma once

#include "stiefel/core/stop_request.hpp"
#include "stiefel/preconditioner/cholesky/block_factor.hpp"
#include "stiefel/preconditioner/cholesky/schedule.hpp"
#include "stiefel/preconditioner/cholesky/symbolic.hpp"

namespace stiefel::cholesky {

/// A supernode's columns of L: width x width, the lower triangle with reciprocals on its diagonal, and height x width
/// below, both column after column.
template <class T>
struct Columns {
    Index width = 0;
    Index height = 0;
    const T* l1 = nullptr;
    Size ld1 = 0;
    const T* l2 = nullptr;
    Size ld2 = 0;
};

/// L of P (A + shift diag(A)) P' = L L', supernode by supernode: the diagonals hold reciprocals.
template <class T>
class Factor {
public:
    /// Takes room for L. Throws OutOfMemory, before anything is taken, where L and what its computation needs beside it
    /// do not fit into the memory that is left.
    Factor(Symbolic symbolic, int threads);

    /// Computes L by the multifrontal method (Duff and Reid 1983; Liu 1992): supernodes pass what they take from
    /// columns to the right up the tree. Where a pivot is not above rounding errors, diag(A) is added 1e-13 times (1e-5
    /// in single precision), and so on in larger shares until all pivots are (Manteuffel 1980). The bits do not depend
    /// on the number of threads. Throws InvalidArgument where an entry is not finite or a diagonal entry not positive,
    /// and GivenUp where it was stopped.
    void compute(const HostCsr<T>& a, const StopRequest& stops = {});

    const Symbolic& symbolic() const { return symbolic_; }
    const Schedule& schedule() const { return schedule_; }
    Columns<T> columns(Index s) const;
    double shift() const { return shift_; }
    int attempts() const { return attempts_; }
    Size bytes() const;

private:
    class Computation;
    bool try_compute(const HostCsr<T>& a, const HostVector<T>& diagonal, StopWatcher& watcher);
    Front<T> front_of(Index s, T* rest);

    Symbolic symbolic_;
    Schedule schedule_;
    HostVector<Size> start_;  // of each supernode's columns in values_
    HostVector<T> values_;
    double shift_ = 0;
    int attempts_ = 0;
};

}  // namespace stiefel::cholesky
