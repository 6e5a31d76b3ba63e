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

/// Of a symmetric matrix with entries above the diagonal.
inline void note_upper_triangle(Size n_upper, Size n_lower, std::vector<std::string>& notes) {
    notes.push_back(
        n_lower == 0
            ? "the file lists the upper triangle; it was mirrored"
            : fmt::format("the file lists entries of both triangles; {} above the diagonal were mirrored", n_upper));
}

inline void note_hermitian(std::vector<std::string>& notes) {
    notes.emplace_back("the file says hermitian; real numbers make that symmetric");
}

}  // namespace stiefel
