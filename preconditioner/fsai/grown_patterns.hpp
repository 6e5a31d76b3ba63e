#pragma once

#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <vector>

namespace stiefel::fsai {

/// A step that lowers the energy of a row by less than this part of it is the row's last.
inline constexpr double least_gain = 1e-2;

/// So many columns may a row have that has grown in so many steps.
inline Index most_grown(Size steps) {
    return static_cast<Index>(std::min(Size{Options::longest_row}, 1 + steps * Options::columns_a_step));
}

/// Columns of G's rows that are found by what they are worth (Janna and Ferronato 2011): a row begins with its diagonal
/// entry and grows in a few steps. Each takes the columns along which the energy g S g' of the row g falls steepest,
/// those with the largest |(S g')_k|, and minimises the energy over all that the row has by then. A row that has gained
/// little in a step has grown enough. One object for each thread. Memory: 12 bytes a row of A.
///
/// O(48^2) for the entries and O(48^3) for the systems of a row, which keep the factor of the step before.
class GrownPatterns {
public:
    /// s: scaled to a unit diagonal. couplings: what strong_couplings() found of it, along which rows grow. Both must
    /// outlive this object. least_pivot: a column that leaves less of its own diagonal entry is not taken.
    GrownPatterns(const HostCsr<double>& s, const HostCsr<double>& couplings, Size steps, double least_pivot);

    /// The columns of row i, ascending, i the last: at most Options::longest_row.
    void append(Index i, std::vector<Index>& cols);

private:
    struct Candidate {
        Index col;
        double slope;  ///< |(S g')_col|
    };

    void begin(Index i);
    void look_around(Index i);
    double minimise();
    bool take(Index col);
    void gather(Index col, double* to) const;
    void end();

    const HostCsr<double>& s_;
    const HostCsr<double>& couplings_;
    Size steps_;
    double least_pivot_;
    std::vector<Index> row_;        // columns so far, the row's own first
    std::vector<double> factor_;    // L of S over them, L L' = S_JJ: row k from k * longest_row on
    std::vector<double> forward_;   // L^-1 (1, 0, ..., 0)'
    std::vector<double> solution_;  // L'^-1 of that: the row of G up to its scaling
    std::vector<Index> place_;      // of a column in row_, or -1
    std::vector<double> slopes_;    // of columns around; else 0
    std::vector<Index> around_;     // where slopes_ has been written
    std::vector<Candidate> candidates_;
};

}  // namespace stiefel::fsai
