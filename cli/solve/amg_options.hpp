#pragma once

#include "stiefel/cli/options.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"

#include <string>
#include <string_view>

namespace stiefel::cli {

/// What algebraic multigrid can be told.
struct AmgWords {
    Size block_size = 0;  ///< 0: found
    std::string coordinates;
    std::string_view coarsening = amg::SetupOptions{}.coarsening;
    std::string_view smoother = amg::SetupOptions{}.smoother;
    std::string_view cycle = amg::SetupOptions{}.cycle;

    /// The first flag that was given; empty where none was.
    std::string_view given() const;
};

void add_amg_options(CLI::App& command, AmgWords& words);

/// The coordinates of nodes, none where no file is given; `matrix` is the archive that the word `archive` means. Throws
/// what the reader throws.
DenseArray<double> read_coordinates(const AmgWords& words, const std::string& matrix, int threads);

/// The unknowns of a node that the words tell for a matrix of n rows: 0 where they do not. Throws UsageError where they
/// do not fit it, and UnsuitableInput where the coordinates do not; says what would.
Index said_block_size(const AmgWords& words, const DenseArray<double>& coordinates, Size n);

/// As said_block_size() says; the coordinates are lent.
amg::SetupOptions amg_setup(const AmgWords& words, Index block_size, const DenseArray<double>& coordinates);

/// For a matrix of n rows. Throws as said_block_size().
inline amg::SetupOptions amg_setup(const AmgWords& words, const DenseArray<double>& coordinates, Index n) {
    return amg_setup(words, said_block_size(words, coordinates, n), coordinates);
}

}  // namespace stiefel::cli
