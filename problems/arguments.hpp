#pragma once

#include "stiefel/core/types.hpp"

#include <initializer_list>
#include <limits>
#include <string_view>

namespace stiefel {

/// Checks of generator arguments. Each throws InvalidArgument that names the generator, the argument, its value and
/// what was expected: "poisson3d: nx = 0, expected at least 1".

void check_at_least(std::string_view problem, std::string_view name, double value, double least);
void check_above(std::string_view problem, std::string_view name, double value, double bound);
void check_at_most(std::string_view problem, std::string_view name, double value, double most);
void check_below(std::string_view problem, std::string_view name, double value, double bound);

struct GridSize {
    std::string_view name;
    Index value;
};

/// Rows that a matrix may have: in one process an Index counts them, over several each counts its own.
inline constexpr Size most_rows = std::numeric_limits<Index>::max();
inline constexpr Size most_rows_of_all = Size{1} << 53;

/// The number of grid points: the product of the sizes, each at least 1, that must not exceed `most`.
Size checked_grid_points(std::string_view problem, std::initializer_list<GridSize> sizes, Size most = most_rows);

/// The product of positive factors; `formula` is what the message calls it ("3 * nx * (ny + 1)").
Size checked_product(std::string_view problem, std::string_view formula, std::initializer_list<Size> factors,
                     Size most = most_rows);

}  // namespace stiefel
