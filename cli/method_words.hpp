#pragma once

#include "stiefel/cli/options.hpp"

#include <array>

namespace stiefel::cli {

// Words of options that several commands have; see backend_options.hpp as well.

enum class Precision { double_, single };
enum class FormatWord { automatic, csr, ellpack, sell };

inline constexpr std::array precision_choices{Choice<Precision>{"double", Precision::double_},
                                              Choice<Precision>{"single", Precision::single}};
inline constexpr std::array format_choices{
    Choice<FormatWord>{"auto", FormatWord::automatic}, Choice<FormatWord>{"csr", FormatWord::csr},
    Choice<FormatWord>{"ellpack", FormatWord::ellpack}, Choice<FormatWord>{"sell", FormatWord::sell}};

}  // namespace stiefel::cli
