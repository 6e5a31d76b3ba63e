#pragma once

#include "stiefel/io/matrix_market.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stiefel {

/// How vectors are written, by the ending of the file's name.
enum class VectorFormat { matrix_market, numpy, csv };

/// The endings that there are, for messages.
inline constexpr std::string_view vector_endings =
    ".mtx or .mtx.gz (Matrix Market array), .npy (NumPy), .csv or .csv.gz (numbers, a row a line)";

/// .mtx, .npy and .csv in any case, the texts with .gz behind them as well; without an ending, and for standard output
/// and whatever else is no regular file, Matrix Market. Nothing for an ending that is not known.
std::optional<VectorFormat> vector_format_of(const std::string& path);

/// Writes n_cols columns of n_rows values, one after the other, in the format that the name asks for. CSV is plain
/// numbers, without a header, parted by commas, each with the fewest digits that read back as the same bits.
/// Throws InvalidArgument for an ending that is not known, otherwise as write_array does. Comments are written where
/// the format has a place for them.
template <class T>
void write_vectors(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values,
                   const WriteOptions& options = {});

}  // namespace stiefel
