#pragma once

#include "stiefel/core/types.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace stiefel {

template <class T>
void note_rounding(Size n_rounded, std::vector<std::string>& notes) {
    if (n_rounded == 0) return;
    notes.push_back(fmt::format("{} integers exceed what {} precision holds exactly; they were rounded", n_rounded,
                                sizeof(T) == sizeof(double) ? "double" : "single"));
}

}  // namespace stiefel
