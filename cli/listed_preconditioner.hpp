#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/preconditioner/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stiefel::cli {

/// The library's preconditioner of that name, which is one of the list.
template <class B, class T>
const PreconditionerEntry<B, T>& listed_preconditioner(std::string_view name) {
    const auto& list = preconditioners<B, T>;
    const auto found = std::ranges::find(list, name, &PreconditionerEntry<B, T>::name);
    if (found == list.end()) throw InvalidArgument(fmt::format("there is no preconditioner {}", name));
    return *found;
}

}  // namespace stiefel::cli
