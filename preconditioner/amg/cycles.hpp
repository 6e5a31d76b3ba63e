#pragma once

#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace stiefel::amg {

/// How often a level visits the next one: with each visit the residual's correction counts by a weight. A polynomial in
/// M A of fixed weights is as symmetric as M, so plain CG suffices. It is positive where 1 - prod (1 - w t) is for t in
/// (0, 1], the spectrum of M A of a level.
struct CycleKind {
    std::string_view name;
    std::string_view description;
    std::string_view source;
    std::array<double, 2> weights;
    int visits;

    std::span<const double> steps() const { return {weights.data(), static_cast<std::size_t>(visits)}; }
};

/// One more cycle is one more line.
inline constexpr std::array<CycleKind, 3> cycles{{
    {"v", "every level once", "Brandt 1977", {1, 0}, 1},
    {"w", "the level below twice", "Brandt 1977", {1, 1}, 2},
    // (1 - t / t0)^2, t0 in the middle of [1/4, 1], is what Chebyshev's polynomial of degree 2 becomes when it may not
    // be negative: no level then makes more of M A than 1. Fixed weights in place of those that the K-cycle (Notay and
    // Vassilevski 2008) finds as it goes, which would need a flexible CG.
    {"k",
     "the level below twice, with the weights of a Chebyshev polynomial",
     "Axelsson and Vassilevski 1990",
     {1.6, 1.6},
     2},
}};

/// The entry of a list that has this name. Throws InvalidArgument that names those there are.
template <class List>
const auto& find_listed(const List& list, std::string_view what, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
    if (found != list.end()) return *found;
    std::string names;
    for (const auto& entry : list) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    throw InvalidArgument(fmt::format("amg: there is no {} '{}', but {}", what, name, names));
}

}  // namespace stiefel::amg
