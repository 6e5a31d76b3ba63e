#pragma once

#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market.hpp"

namespace stiefel {

/// Reads a matrix from lines "i j value", as MATLAB's spconvert and numpy.savetxt write them; '%' and '#' begin
/// comments. Indices count from 0 if the smallest is 0, else from 1. The size is that of the largest indices; or the
/// first line says it, "rows columns entries", which it is taken to do where three integers there fit all other lines.
/// The matrix is general: every entry is listed. What was decided is said in the notes. Throws ParseError.
template <class T>
MatrixMarket<T> parse_triplet_text(InputText& input, const ReadOptions& options);

}  // namespace stiefel
