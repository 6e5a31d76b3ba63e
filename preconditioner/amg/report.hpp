#pragma once

#include "stiefel/preconditioner/amg/hierarchy.hpp"

#include <string>
#include <vector>

namespace stiefel {

/// What a hierarchy is like, for reports.
struct AmgReport {
    struct Level {
        Index rows = 0;
        Size nonzeros = 0;
    };
    std::vector<Level> levels = {};
    amg::SetupSeconds seconds = {};
    double total_seconds = 0;

    /// Nonzeros and rows of all levels over those of the finest.
    double operator_complexity() const {
        return ratio([](const Level& level) { return level.nonzeros; });
    }
    double grid_complexity() const {
        return ratio([](const Level& level) { return Size{level.rows}; });
    }

private:
    template <class F>
    double ratio(F&& f) const {
        double sum = 0;
        for (const Level& level : levels) sum += static_cast<double>(f(level));
        return levels.empty() || sum == 0 ? 1 : sum / static_cast<double>(f(levels.front()));
    }
};

namespace amg {

/// "4 levels, operator complexity 1.56, set up in 0.71 s"
std::string summary(const AmgReport& report);

inline AmgReport::Level describe(const Level& level) {
    return {.rows = level.a.n_rows, .nonzeros = level.a.nnz()};
}

}  // namespace amg

}  // namespace stiefel
