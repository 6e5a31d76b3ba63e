#include "stiefel/problems/arguments.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

namespace stiefel {

namespace {

[[noreturn]] void refuse(std::string_view problem, std::string_view name, double value, std::string_view relation,
                         double bound) {
    throw InvalidArgument(fmt::format("{}: {} = {}, expected {} {}", problem, name, value, relation, bound));
}

}  // namespace

// The conditions are the negated expectation, so that NaN is refused.
void check_at_least(std::string_view problem, std::string_view name, double value, double least) {
    if (!(value >= least)) refuse(problem, name, value, "at least", least);
    if (!(value <= std::numeric_limits<double>::max()))
        refuse(problem, name, value, "a finite number, at least", least);
}

void check_above(std::string_view problem, std::string_view name, double value, double bound) {
    if (!(value > bound)) refuse(problem, name, value, "more than", bound);
    if (!(value <= std::numeric_limits<double>::max())) refuse(problem, name, value, "a finite number above", bound);
}

void check_at_most(std::string_view problem, std::string_view name, double value, double most) {
    if (!(value <= most)) refuse(problem, name, value, "at most", most);
}

void check_below(std::string_view problem, std::string_view name, double value, double bound) {
    if (!(value < bound)) refuse(problem, name, value, "less than", bound);
}

Size checked_grid_points(std::string_view problem, std::initializer_list<GridSize> sizes, Size most) {
    std::string formula;
    Size points = 1;
    for (const GridSize& size : sizes) {
        check_at_least(problem, size.name, size.value, 1);
        formula += formula.empty() ? "" : " * ";
        formula += size.name;
        points = checked_product(problem, formula, {points, size.value}, most);
    }
    return points;
}

Size checked_product(std::string_view problem, std::string_view formula, std::initializer_list<Size> factors,
                     Size most) {
    Size product = 1;
    for (const Size factor : factors) {
        if (factor > most / product) {
            throw InvalidArgument(fmt::format("{}: {} exceeds {}, the largest number of rows that {} can count",
                                              problem, formula, most,
                                              most == most_rows ? "an index" : "several ranks"));
        }
        product *= factor;
    }
    return product;
}

}  // namespace stiefel
