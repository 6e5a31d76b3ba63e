#pragma once

#include "stiefel/cli/outputs.hpp"

#include <vector>

namespace stiefel::cli {

/// The argument that names the matrix, or one to be made.
inline constexpr std::string_view matrix_argument = "A.mtx";

/// Finds out before the work what is wrong with the names of inputs. Throws UsageError if more than one is "-", or if a
/// file does not exist and its name is near one of the option's words; FileError if it does not exist otherwise, with
/// the name of a file beside it that was probably meant.
void check_inputs(const std::vector<NamedPath>& inputs);

}  // namespace stiefel::cli
