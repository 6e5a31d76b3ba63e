#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/world/ranks.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// Entries of a matrix that this rank has read, and what the first has to say of the file.
struct EntriesOfRank {
    Coo<double> entries = {};
    std::vector<std::string> notes = {};
    bool are_integers = false;  ///< as the file says
};

/// Reads a matrix on several ranks: of a coordinate matrix in a plain Matrix Market file each reads the lines in its
/// share of the bytes; any other (compressed, in an archive, on standard input, of another format) is read by the
/// first. What is wrong is told as by one process that reads all: the first fault in the file, at its line and column.
/// All ranks call it at once. Throws RankFault, in all of them.
EntriesOfRank read_entries(Ranks& ranks, OpenMP& host, const std::string& path);

}  // namespace stiefel::cli
