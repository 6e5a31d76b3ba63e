#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel {

/// The connected components of a square matrix's graph: its rows are the vertices, and every stored entry, zeros
/// included, joins the two rows that it couples, whichever triangle it lies in. So they are those of A + A'; systems
/// with different components have nothing to do with each other.
struct ComponentInfo {
    Index number = 0;
    Index smallest = 0;  ///< rows of the component that has the fewest
    Index largest = 0;   ///< rows of the one that has the most
};

/// By a union-find (Tarjan 1975) whose threads share one forest (Anderson and Woll 1991), each tree's root being its
/// first row, and paths halved (Tarjan and van Leeuwen 1984). The same on any number of threads. Of a pattern that is
/// known to be symmetric, entries above the diagonal are not looked at. Throws InvalidArgument if A is not square.
/// Cost: O(nnz log n) at worst and linear as a rule, about that of two SpMVs (four, where all entries are looked at),
/// several times that where rows are numbered by chance; 8 n bytes of memory.
template <class T>
ComponentInfo analyse_components(OpenMP&, const HostCsr<T>& a, bool has_symmetric_pattern = false);

}  // namespace stiefel
