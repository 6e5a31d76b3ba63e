#pragma once

#include "stiefel/analysis/matrix_info.hpp"

#include <string>

namespace stiefel::cli {

// What a matrix is like, in words: for `stiefel info` and the pages of --report. Rows and columns count from 1.

/// "298, 2.98 a row, density 0.03".
std::string nonzeros_text(const MatrixInfo& m);

/// "2 to 3, mean 2.98, median 3, standard deviation 0.14".
std::string row_lengths_text(const RowStatistics& rows);

/// "32 on either side of the diagonal".
std::string bandwidth_text(const BandInfo& band);

/// "1e-3 to 5 in magnitude; 12 stored as zero".
std::string values_text(const MatrixInfo& m);

/// "symmetric", or where it is not.
std::string symmetry_text(const SymmetryInfo& s);

/// "one connected piece", or how many that do not touch each other, and their rows; of a square matrix with rows.
std::string components_text(const ComponentInfo& c);

/// "positive, 1 to 4", or what is missing, zero or negative.
std::string diagonal_text(const DiagonalInfo& d, Index n_rows);

/// "every row diagonally dominant, 12 strictly"; of a square matrix.
std::string dominance_text(const MatrixInfo& m);

/// "within [0, 8] by Gershgorin's circles"; of a symmetric matrix.
std::string spectrum_text(const DiagonalInfo& d);

}  // namespace stiefel::cli
