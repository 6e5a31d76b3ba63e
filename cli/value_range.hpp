#pragma once

#include "stiefel/io/matrix_market.hpp"

#include <string>

namespace stiefel::cli {

/// A matrix as a file has it but for a power of two.
template <class T>
struct RangedMatrix {
    MatrixMarket<T> file;
    int exponent = 0;  ///< the file's entries are 2^exponent times these
};

/// Reads a matrix, or makes one (generated_matrix.hpp). For single precision it is read in double, and brought into its
/// range (single_range.hpp); a note says so. Throws what read_matrix throws, and UnsuitableInput for an entry of the
/// diagonal that single precision has no room for even so. Memory in single precision: 4 bytes an entry more than
/// read_matrix<double>.
template <class T>
RangedMatrix<T> read_matrix_in_range(const std::string& path, int threads);
template <>
RangedMatrix<float> read_matrix_in_range(const std::string& path, int threads);
template <>
RangedMatrix<double> read_matrix_in_range(const std::string& path, int threads);

/// Divides vectors by 2^exponent, the matrix's, and rounds them to T. Throws UnsuitableInput, with `name` for them,
/// where a column that is not zero would become so, or infinite. No values at all stay none.
template <class T>
DenseArray<T> brought_into_range(DenseArray<double> vectors, int exponent, const std::string& name);
template <>
DenseArray<float> brought_into_range(DenseArray<double> vectors, int exponent, const std::string& name);
template <>
DenseArray<double> brought_into_range(DenseArray<double> vectors, int exponent, const std::string& name);

}  // namespace stiefel::cli
