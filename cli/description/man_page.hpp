#pragma once

#include "stiefel/cli/description/command_description.hpp"

#include <string>

namespace stiefel::cli {

/// The name of a command's manual page, as in "man stiefel-solve"; the program's own is its name alone. Commands of a
/// command have no page: they stand in its page.
std::string man_page_name(const CommandDescription& program, const CommandDescription& command);

/// The manual page of the program, or of one of its commands, in roff with the macros of man(7): what the help page
/// says, and the other pages' names.
std::string man_page(const CommandDescription& program, const CommandDescription& command);

}  // namespace stiefel::cli
