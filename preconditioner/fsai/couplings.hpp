#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/csr.hpp"

#include <vector>

namespace stiefel::fsai {

/// s_ij where |s_ij| is larger than the threshold, and the diagonal: at most Options::longest_row of a row, the
/// largest, of equals those in the first columns.
HostCsr<double> strong_couplings(OpenMP&, const HostCsr<double>& s, double threshold);

/// The columns of G's rows, one after another; one for each thread. Memory: 4 bytes a row of A.
class RowPatterns {
public:
    /// couplings: what strong_couplings() found; must outlive this object.
    RowPatterns(const HostCsr<double>& couplings, Size power);

    /// Columns up to i of row i of |couplings|^power, ascending, i the last: at most Options::longest_row, those of the
    /// largest entries.
    void append(Index i, std::vector<Index>& cols);

private:
    struct Entry {
        Index col;
        double weight;
    };

    void begin(Index i, Index last);
    void multiply(Index last);
    void limit(Index i);

    const HostCsr<double>& couplings_;
    Size power_;
    std::vector<Index> place_;  // of a column in next_, or -1
    std::vector<Entry> row_, next_;
};

}  // namespace stiefel::fsai
