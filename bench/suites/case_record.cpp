#include "bench/suites/case_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stiefel::bench {

namespace {

const LabelValue* find(const Labels& labels, std::string_view name) {
    const auto found =
        std::find_if(labels.begin(), labels.end(), [&](const auto& label) { return label.first == name; });
    return found == labels.end() ? nullptr : &found->second;
}

}  // namespace

double CaseRecord::value(std::string_view name) const {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
    return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

double CaseRecord::median_seconds() const {
    if (seconds.empty()) return 0;
    std::vector<double> sorted = seconds;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

double CaseRecord::mean_seconds() const {
    if (seconds.empty()) return 0;
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

std::string label_text(const Labels& labels, std::string_view name) {
    const LabelValue* const value = find(labels, name);
    return value == nullptr ? "" : std::visit([](const auto& v) { return fmt::format("{}", v); }, *value);
}

double label_number(const Labels& labels, std::string_view name) {
    const LabelValue* const value = find(labels, name);
    if (value == nullptr) return 0;
    if (const auto* const whole = std::get_if<Size>(value)) return static_cast<double>(*whole);
    const auto* const real = std::get_if<double>(value);
    return real != nullptr ? *real : 0;
}

Labels joined(Labels first, const Labels& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace stiefel::bench
