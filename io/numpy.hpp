#pragma once

#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <string>

namespace stiefel {

/// NumPy's .npy format (NEP 1): a line of Python that says type and shape, then the numbers as they lie in memory.

struct NumpyHeader {
    bool is_double = true;  ///< or float32
    bool is_little_endian = true;
    bool is_fortran_order = false;  ///< columns one after the other
    Index n_rows = 0;
    Index n_cols = 1;      ///< 1 for an array of one dimension
    std::size_t body = 0;  ///< where the numbers start
};

/// Reads the header of an array of float64 or float32 of one or two dimensions. Throws ParseError for any other, and
/// where the file is shorter than the numbers it announces.
NumpyHeader parse_numpy_header(const InputText& input);

/// The numbers, columns one after the other. Throws ParseError naming the first that is not finite or that T cannot
/// hold.
template <class T>
DenseArray<T> parse_numpy(InputText& input, const NumpyHeader& header, const ReadOptions& options);

/// Writes n_cols columns of n_rows values, one after the other, as .npy (version 1.0, Fortran order, shape (n_rows,) if
/// there is one column). Any value may be written. Throws as write_array does.
template <class T>
void write_numpy(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values);

}  // namespace stiefel
