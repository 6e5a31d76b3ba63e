#pragma once

#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market.hpp"

namespace stiefel {

/// Reads an assembled Harwell-Boeing or Rutherford-Boeing matrix (real, integer or pattern) as read_matrix says;
/// entries come column by column. Right-hand sides in the file are not read, with a note. Throws ParseError.
template <class T>
MatrixMarket<T> parse_harwell_boeing(InputText& input, const ReadOptions& options);

}  // namespace stiefel
