#pragma once

#include "stiefel/core/types.hpp"

#include <initializer_list>
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

/// The number of grid points: the product of the sizes, each at least 1, that must not exceed an Index.
Index checked_grid_points(std::string_view problem, std::initializer_list<GridSize> sizes);

/// The product of positive factors as an Index; `formula` is what the message calls it ("3 * nx * (ny + 1)").
Index checked_product(std::string_view problem, std::string_view formula, std::initializer_list<Size> factors);

}  // namespace stiefel
