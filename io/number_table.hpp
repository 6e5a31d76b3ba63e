#pragma once

#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market.hpp"

#include <string_view>

namespace stiefel {

/// Plain numbers, a row a line, parted by blanks or commas, as numpy.savetxt and our own .csv have them; '%' and '#'
/// begin comments.

/// Whether the first line that is no comment is one of numbers, but not two integers and a number: that might be an
/// entry 'i j value'.
bool is_number_table(std::string_view beginning, bool is_all);
bool is_number_table(const InputText& input);

/// Columns one after the other. Throws ParseError, also where a row is longer or shorter than the first.
template <class T>
DenseArray<T> parse_number_table(InputText& input, const ReadOptions& options);

}  // namespace stiefel
