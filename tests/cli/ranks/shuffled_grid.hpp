#pragma once

#include "cli/ranks/ranks_command.hpp"

#include "stiefel/core/random.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::test {

/// As matrix_text() takes them: the 7-point differences on a box of so many points along its edges, numbered by chance.
inline Words shuffled_lines(int nx, int ny, int nz) {
    const int n = nx * ny * nz;
    std::vector<int> number(static_cast<std::size_t>(n));
    std::iota(number.begin(), number.end(), 1);
    const RandomRow random(3, 0);
    for (int i = n - 1; i > 0; --i) {
        std::swap(number[static_cast<std::size_t>(i)], number[static_cast<std::size_t>(random.below(i, i + 1))]);
    }
    Words lines;
    const auto line = [&](int i, int j, const char* value) {
        const auto [low, high] = std::minmax(number[static_cast<std::size_t>(i)], number[static_cast<std::size_t>(j)]);
        lines.push_back(std::to_string(high) + ' ' + std::to_string(low) + ' ' + value);
    };
    for (int i = 0; i < n; ++i) {
        line(i, i, "6.5");
        if (i % nx > 0) line(i, i - 1, "-1");
        if (i / nx % ny > 0) line(i, i - nx, "-1");
        if (i / nx / ny > 0) line(i, i - nx * ny, "-1");
    }
    return lines;
}

}  // namespace stiefel::test
