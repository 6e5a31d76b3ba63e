#pragma once

#include "stiefel/core/types.hpp"

#include <string_view>

namespace stiefel {

/// No preconditioning: M = I.
struct Identity {
    static constexpr const char* name = "none";
};

/// As it stands in preconditioner/list.hpp.
struct ListedIdentity {
    static constexpr std::string_view name = "none";
    static constexpr std::string_view description = "A as it is";
    static constexpr std::string_view source = "Hestenes and Stiefel 1952";

    template <class B, class T>
    static auto prepare(B&, const auto&) {
        return [](B&, const auto&, Index) { return Identity{}; };
    }
};

}  // namespace stiefel
