#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/preconditioner/list.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace stiefel::cli {

/// The library's preconditioner of that name; throws UsageError where the backend has not got it.
template <class B, class T>
const PreconditionerEntry<B, T>& listed_preconditioner(std::string_view name) {
    std::string names;
    for (const auto& entry : preconditioners<B, T>) {
        if (entry.name == name) return entry;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    }
    throw UsageError(
        fmt::format("--preconditioner {}: it runs on the cores of the host only; give --backend openmp, or one of {}",
                    name, names));
}

}  // namespace stiefel::cli
