#pragma once

#include "stiefel/spmv/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The definition of choose_operator; each backend instantiates it in a file of its own, with the terms of its contest.

namespace stiefel {

/// What was asked for by name, or else what a contest finds.
template <class B, class T, class Contest>
class OperatorChooser {
public:
    using Memory = typename B::memory;

    OperatorChooser(B& backend, const RowStatistics& rows, const FormatChoice& choice)
        : backend_(backend), rows_(rows), choice_(choice), contest_(backend, rows, choice) {
        require(choice_.columns >= 1 && choice_.columns <= max_spmm_columns,
                "choose_operator: columns must be 1 to 256");
        require(choice_.products > 0, "choose_operator: products must be positive");
    }

    ChosenOperator<B, T> choose(Csr<T, Memory> a) {
        if (choice_.format != "auto") return in_the_format_asked_for(std::move(a));
        if (choice_.kernel != "auto") return under_the_kernel_asked_for(std::move(a));
        return contest_.among_formats(std::move(a));
    }

private:
    ChosenOperator<B, T> in_the_format_asked_for(Csr<T, Memory> a) {
        std::optional<ChosenOperator<B, T>> chosen;
        AllFormats::for_each([&]<template <class, class> class Format>() {
            if (choice_.format == FormatTraits<Format>::name) chosen.emplace(converted<Format>(std::move(a)));
        });
        if (chosen) return std::move(*chosen);
        throw InvalidArgument(fmt::format("there is no format '{}' on {}; there are: auto, {}", choice_.format, B::name,
                                          fmt::join(AllFormats::names, ", ")));
    }

    /// In the first format that lists the kernel; CSR needs no conversion, SELL pads least.
    ChosenOperator<B, T> under_the_kernel_asked_for(Csr<T, Memory> a) {
        std::optional<ChosenOperator<B, T>> chosen;
        std::vector<std::string> listed;
        AllFormats::for_each([&]<template <class, class> class Format>() {
            const Format<T, Memory> like;
            std::vector<std::string_view> names;
            for (const auto& kernel : spmv_kernels(backend_, like)) names.push_back(kernel.name);
            listed.push_back(fmt::format("{}: {}", FormatTraits<Format>::name, fmt::join(names, ", ")));
            const bool lists_it = std::find(names.begin(), names.end(), choice_.kernel) != names.end();
            if (lists_it && !chosen) chosen.emplace(converted<Format>(std::move(a)));
        });
        if (chosen) return std::move(*chosen);
        throw InvalidArgument(fmt::format("there is no kernel '{}' on {}; there are: {}", choice_.kernel, B::name,
                                          fmt::join(listed, "; ")));
    }

    template <template <class, class> class Format>
    ChosenOperator<B, T> converted(Csr<T, Memory> csr) {
        const auto shape = FormatTraits<Format>::template shapes<Memory>(rows_).front();
        auto&& by = converter(backend_);
        Format<T, Memory> a = in_format<Format>(by, std::move(csr), shape);
        if (choice_.kernel == "auto") return contest_.template among_kernels<Format>(std::move(a));
        const auto& kernel = find_kernel(backend_, a, choice_.kernel);
        return {SpmvOperator<B, T>(std::move(a), kernel), "as asked"};
    }

    B& backend_;
    const RowStatistics& rows_;
    const FormatChoice& choice_;
    Contest contest_;
};

}  // namespace stiefel
