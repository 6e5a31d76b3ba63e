#pragma once

#include "stiefel/cli/options.hpp"
#include "stiefel/spmv/formats.hpp"

#include <array>
#include <string_view>

namespace stiefel::cli {

// Words of options that several commands have; see backend_options.hpp as well.

enum class Precision { double_, single };

inline constexpr std::array precision_choices{Choice<Precision>{"double", Precision::double_},
                                              Choice<Precision>{"single", Precision::single}};
inline constexpr auto format_choices = [] {
    std::array<Choice<std::string_view>, AllFormats::size + 1> choices{{{"auto", "auto"}}};
    for (std::size_t k = 0; k < AllFormats::size; ++k) choices[k + 1] = {AllFormats::names[k], AllFormats::names[k]};
    return choices;
}();

}  // namespace stiefel::cli
