#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace stiefel::amg {

/// Whether a level visits the next one once or twice: with each of two visits the residual's correction counts by a
/// weight. A polynomial in M A of fixed weights is as symmetric as M, so plain CG suffices. It is positive where
/// 1 - prod (1 - w t) is for t in (0, 1], the spectrum of M A of a level.
struct CycleKind {
    enum class Visits { once, twice, twice_where_cheap };

    std::string_view name;
    std::string_view description;
    std::string_view source;
    Visits visits;
    std::array<double, 2> weights;
};

/// One more cycle is one more line.
inline constexpr std::array<CycleKind, 4> cycles{{
    {"auto",
     "v, but a level twice where that and all below it cost little",
     "Brandt 1977",
     CycleKind::Visits::twice_where_cheap,
     {1, 1}},
    {"v", "every level once", "Brandt 1977", CycleKind::Visits::once, {1, 0}},
    {"w", "the level below twice", "Brandt 1977", CycleKind::Visits::twice, {1, 1}},
    // (1 - t / t0)^2, t0 in the middle of [1/4, 1], is what Chebyshev's polynomial of degree 2 becomes when it may not
    // be negative: no level then makes more of M A than 1. Fixed weights in place of those that the K-cycle (Notay and
    // Vassilevski 2008) finds as it goes, which would need a flexible CG.
    {"k",
     "the level below twice, with the weights of a Chebyshev polynomial",
     "Axelsson and Vassilevski 1990",
     CycleKind::Visits::twice,
     {1.6, 1.6}},
}};

/// How often each level is visited, told level after level from the finest on.
class VisitPlan {
public:
    /// on_host: where time goes by entries. A device waits for every kernel of a level, so that a visit costs little
    /// where levels are large alone: 7-point 200^3, second visits to 7 million entries, takes 10 instead of 12
    /// iterations but 16.1 instead of 14.9 ms, 250^3, to 14 million, 10 instead of 13 and 28.6 instead of 29.5 (H100).
    /// on_ranks: aggregates end where the rows of a rank do, so that levels are larger, the more so the thinner these
    /// parts are. What one process visits twice ranks do as well, or they take a quarter more iterations: a second
    /// visit costs what it saves there (elastic beams of 9 and 17 nodes across, on two to four ranks of cores).
    VisitPlan(const CycleKind& kind, bool on_host, bool on_ranks = false)
        : visits_(kind.visits), least_(on_host ? 0 : 10'000'000), most_of_finest_(on_ranks ? 0.5 : 0.15) {}

    /// Whether the level above visits the next one twice, whose matrix has so many entries.
    bool next_is_visited_twice(Size nnz) {
        const bool is_finest = finest_ == 0;
        const bool twice = !is_finest && (visits_ == CycleKind::Visits::twice ||
                                          (visits_ == CycleKind::Visits::twice_where_cheap && is_cheap(nnz)));
        if (is_finest) finest_ = std::max<Size>(nnz, 1);
        above_ = std::max<Size>(nnz, 1);
        if (twice) times_ *= 2;
        return twice;
    }
    /// In a cycle, of the level that was told last.
    int times() const { return times_; }

private:
    /// By what the visits more than now would cost. All below are taken to shrink as this level did.
    bool is_cheap(Size nnz) const {
        // Entries: below, time goes into starting what works on them, the more the oftener they are visited.
        const Size few = Size{50000} * times_ * times_;
        constexpr double most_of_above = 1.0 / 3;
        const double ratio = static_cast<double>(nnz) / static_cast<double>(above_);
        return above_ > few && nnz >= least_ && ratio <= most_of_above &&
               times_ * static_cast<double>(nnz) / (1 - ratio) <= most_of_finest_ * static_cast<double>(finest_);
    }

    CycleKind::Visits visits_;
    Size least_;             ///< entries of a level that is visited twice where that is cheap
    double most_of_finest_;  ///< entries of all from there on, for that
    Size finest_ = 0, above_ = 0;
    int times_ = 1;
};

/// What reports call a cycle whose coarsest level is visited so many times.
inline std::string_view cycle_name(const CycleKind& kind, int times) {
    if (kind.visits != CycleKind::Visits::twice_where_cheap) return kind.name;
    return times > 1 ? "w" : "v";
}

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
