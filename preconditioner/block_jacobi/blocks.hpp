#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

namespace stiefel::block_jacobi {

/// Block b has the rows start[b] .. start[b + 1] - 1.
struct Blocks {
    HostVector<Index> start = {};

    Index number() const { return static_cast<Index>(start.size()) - 1; }
    Index rows(Index b) const { return start[b + 1] - start[b]; }
    Index largest() const;
    Size entries() const;  ///< of all blocks, the zeros among them
};

/// Rows 0 .. size - 1, size .. 2 size - 1, ...; the last block has what is left of n.
Blocks given_blocks(Index n, Index size);

/// By what blocks are found: of row i, i itself where it has the columns of row i - 1; else its last column before the
/// diagonal, -1 where there is none.                                                                            O(nnz)
template <class T>
HostVector<Index> row_links(OpenMP&, const HostCsr<T>& a);

/// Natural blocks, rows one behind the other that have the same columns, as the unknowns at a node of a mesh, put
/// together with those before them that they are coupled to while they have no more than `most` rows together (the
/// supervariables of Chow and Scott 2016; Anzt, Dongarra, Flegar and Quintana-Orti 2019). One that has more rows itself
/// is cut after every `most`; no other is cut.                                                          O(n), one core
Blocks found_blocks(const HostVector<Index>& links, Index most);

}  // namespace stiefel::block_jacobi
