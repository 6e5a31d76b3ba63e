#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/problem_list.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace stiefel {

namespace {

std::string parameter_names(const Problem& problem) {
    std::vector<std::string_view> names;
    for (const ProblemParameter& parameter : problem.parameters) names.push_back(parameter.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ProblemArguments::ProblemArguments(const Problem& problem) : problem_(&problem), values_(problem.parameters.size()) {}

std::size_t ProblemArguments::position(std::string_view name) const {
    for (std::size_t p = 0; p < values_.size(); ++p) {
        if (problem_->parameters[p].name == name) return p;
    }
    throw InvalidArgument(fmt::format("{}: there is no parameter '{}', expected one of {}", problem_->name, name,
                                      parameter_names(*problem_)));
}

void ProblemArguments::set(std::string_view name, double value) {
    const std::size_t p = position(name);
    // Whole numbers up to 2^53 are exact in double.
    if (problem_->parameters[p].kind != ParameterKind::real &&
        !(std::trunc(value) == value && std::abs(value) <= 0x1p53)) {
        throw InvalidArgument(fmt::format("{}: {} = {}, expected a whole number", problem_->name, name, value));
    }
    values_[p] = value;
}

void ProblemArguments::set(std::string_view name, std::string_view text) {
    position(name);
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) {
        throw InvalidArgument(fmt::format("{}: {} = '{}', expected a number", problem_->name, name, text));
    }
    set(name, value);
}

void ProblemArguments::set_sizes(std::span<const std::string> texts) {
    std::size_t given = 0;
    for (const ProblemParameter& parameter : problem_->parameters) {
        if (parameter.kind == ParameterKind::size && given < texts.size()) set(parameter.name, texts[given++]);
    }
    if (given < texts.size()) {
        throw InvalidArgument(fmt::format("{}: {} sizes are given, it has {}; its parameters are {}", problem_->name,
                                          texts.size(), given, parameter_names(*problem_)));
    }
}

double ProblemArguments::real(std::string_view name) const {
    std::size_t p = position(name);
    while (!values_[p] && !problem_->parameters[p].fallback) --p;
    return values_[p] ? *values_[p] : *problem_->parameters[p].fallback;
}

Index ProblemArguments::index(std::string_view name) const {
    const double value = real(name);
    check_at_most(problem_->name, name, value, std::numeric_limits<Index>::max());
    check_at_least(problem_->name, name, value, std::numeric_limits<Index>::min());
    return static_cast<Index>(value);
}

std::uint64_t ProblemArguments::seed(std::string_view name) const {
    const double value = real(name);
    check_at_least(problem_->name, name, value, 0);
    return static_cast<std::uint64_t>(value);
}

}  // namespace stiefel
