#pragma once

#include "stiefel/core/types.hpp"
#include "stiefel/core/work.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stiefel::bench {

using LabelValue = std::variant<std::string, Size, double>;

/// What identifies a case, in the order in which it is written: {"matrix", "cant"}, {"threads", 2}, ...
using Labels = std::vector<std::pair<std::string, LabelValue>>;

/// A case as the file of a suite holds it; seconds, bytes and ratios throughout.
struct CaseRecord {
    Labels labels;
    std::optional<Work> work = {};     ///< of one call, at least; absent where it has no meaning
    std::vector<double> seconds = {};  ///< of every sample; empty where refused
    std::vector<std::pair<std::string, double>> values = {};
    std::vector<std::pair<Size, double>> history = {};  ///< iteration and relative residual, of solves
    std::string refused = {};                           ///< why, with the numbers; empty where it ran

    bool is_measured() const { return refused.empty(); }
    void set(std::string name, double value) { values.emplace_back(std::move(name), value); }
    /// NaN where there is none.
    double value(std::string_view name) const;
    double median_seconds() const;  ///< 0 without samples
    double mean_seconds() const;    ///< likewise
};

/// The label's text, a number as it is written; empty where there is none.
std::string label_text(const Labels& labels, std::string_view name);

/// 0 where there is none.
double label_number(const Labels& labels, std::string_view name);

/// Labels and those of another kind behind them.
Labels joined(Labels first, const Labels& second);

}  // namespace stiefel::bench
